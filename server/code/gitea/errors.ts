import { type ApiErrorKind, apiError } from '../../http/errors.ts';

const LATER = { 'retry-after': '30' };

export const giteaNotConnected = apiError(
  409,
  'gitea_not_connected',
  'The workspace of the project has no connection to the server of this repository: an admin can add ' +
    'one in the settings of the workspace (docs/gitea.md)',
);

const unavailable = apiError(
  503,
  'gitea_unavailable',
  'The Gitea or Forgejo server does not answer right now: try again later',
  LATER,
);
const rateLimited = apiError(
  503,
  'gitea_rate_limited',
  'The Gitea or Forgejo server limits how often it may be asked: wait for Retry-After seconds, then ' +
    'try again',
  LATER,
);
const tokenRefused = apiError(
  409,
  'gitea_token_refused',
  'The Gitea or Forgejo server does not accept the token of the connection: make a new one there, and ' +
    'replace it in the settings of the workspace',
);
const permissionMissing = apiError(
  409,
  'gitea_permission_missing',
  'The token of the connection may not do that: its account needs to write to the repository, and ' +
    'the token the scope `write:repository`',
);
const repositoryGone = apiError(
  409,
  'gitea_repository_gone',
  'The account of the token does not see this repository any more: give it access there, or detach ' +
    'the repository',
);
const defaultBranchUnusable = apiError(
  409,
  'gitea_default_branch_unusable',
  'The default branch of the repository has a name that cannot be used here: rename it there',
);
const refused = apiError(
  409,
  'gitea_refused',
  'The Gitea or Forgejo server refused the request: `said` is what it says',
);

export const GITEA_KINDS: Partial<Record<string, ApiErrorKind>> = {
  gitea_unavailable: unavailable,
  gitea_rate_limited: rateLimited,
  gitea_token_refused: tokenRefused,
  gitea_permission_missing: permissionMissing,
  gitea_repository_gone: repositoryGone,
  gitea_default_branch_unusable: defaultBranchUnusable,
  gitea_refused: refused,
};

/** Every error of an operation that asks Gitea. */
export const giteaErrors = [
  unavailable,
  rateLimited,
  tokenRefused,
  permissionMissing,
  repositoryGone,
  defaultBranchUnusable,
  refused,
];
