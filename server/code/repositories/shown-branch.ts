import Type, { type Static } from 'typebox';
import { boolean, uuid } from '../../http/input/fields.ts';
import { COMMIT_ID } from './git.ts';

/** A branch of a repository on any host, as the API shows it. */
export const shownBranch = Type.Object(
  {
    name: Type.String(),
    head_sha: Type.String({ pattern: COMMIT_ID, description: 'Its last commit.' }),
    is_default: boolean({ description: 'Whether tasks begin with it.' }),
    task_id: Type.Optional(uuid({ description: 'The task whose branch it is, if any.' })),
  },
  { $id: 'Branch' },
);

export type ShownBranch = Static<typeof shownBranch>;
