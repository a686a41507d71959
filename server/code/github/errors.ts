import { type ApiErrorKind, apiError } from '../../http/errors.ts';

const LATER = { 'retry-after': '30' };

export const githubNotConfigured = apiError(
  409,
  'github_not_configured',
  'This server has no GitHub App: ask its operator to set one up (docs/github.md)',
);

export const githubNotConnected = apiError(
  409,
  'github_not_connected',
  'The owner of the project may not use the installation of this repository: ask the operator of ' +
    'this server to connect it (docs/github.md)',
);

export const githubUnavailable = apiError(
  503,
  'github_unavailable',
  'GitHub does not answer right now: try again later',
  LATER,
);
const rateLimited = apiError(
  503,
  'github_rate_limited',
  'GitHub limits how often this server may ask: wait for Retry-After seconds, then try again',
  LATER,
);
const permissionMissing = apiError(
  409,
  'github_permission_missing',
  'The GitHub App lacks the permission in `permission`: its owner must add it on GitHub, and the ' +
    'owner of the account must accept it there',
);
const repositoryGone = apiError(
  409,
  'github_repository_gone',
  'The installation of the GitHub App no longer has this repository: add it in the settings of ' +
    'the installation on GitHub',
);
const defaultBranchUnusable = apiError(
  409,
  'github_default_branch_unusable',
  'The default branch of the repository has a name that cannot be used here: rename it on GitHub',
);
const suspended = apiError(
  409,
  'github_installation_suspended',
  'The installation of the GitHub App is suspended: its account must unsuspend it on GitHub',
);
const gone = apiError(
  409,
  'github_installation_gone',
  'The GitHub App is no longer installed in this account: install it again on GitHub',
);
const appRefused = apiError(
  503,
  'github_app_refused',
  'GitHub refuses the App of this server: ask its operator to check the settings of GitHub',
  LATER,
);

export const GITHUB_KINDS: Partial<Record<string, ApiErrorKind>> = {
  github_unavailable: githubUnavailable,
  github_rate_limited: rateLimited,
  github_permission_missing: permissionMissing,
  github_repository_gone: repositoryGone,
  github_default_branch_unusable: defaultBranchUnusable,
  github_installation_suspended: suspended,
  github_installation_gone: gone,
  github_app_refused: appRefused,
};

/** Every error of an operation that asks GitHub. */
export const githubErrors = [
  githubNotConfigured,
  githubUnavailable,
  rateLimited,
  permissionMissing,
  repositoryGone,
  defaultBranchUnusable,
  suspended,
  gone,
  appRefused,
];
