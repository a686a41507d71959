import { apiError } from '../http/errors.ts';

/** The code of a project is on another machine. */
export const repositoryElsewhere = apiError(
  503,
  'repository_elsewhere',
  'This server does not have the repository of the project: it must share DATA_DIR with the ' +
    'workers that carry out its tasks',
  { 'retry-after': '60' },
);
