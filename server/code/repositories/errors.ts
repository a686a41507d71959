import { apiError } from '../../http/errors.ts';

/** The code of a project is on another machine. */
export const repositoryElsewhere = apiError(
  503,
  'repository_elsewhere',
  'This server does not have the repository of the project: it must share DATA_DIR with the ' +
    'workers that carry out its tasks',
  { 'retry-after': '60' },
);

export const projectArchived = apiError(
  409,
  'project_archived',
  'Nothing of an archived project is merged: take it back with update_project first',
);

export const notOpen = apiError(
  409,
  'pull_request_not_open',
  'The pull request is merged or closed: nothing of it can be changed',
);
