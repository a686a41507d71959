import { apiError } from '../../http/errors.ts';

/** The same for a project that the caller may not open, so that no one learns what exists. */
export const repositoryNotFound = apiError(
  404,
  'repository_not_found',
  'There is no such repository, or you may not open its project: check the address and the key',
);

export const mayNotPush = apiError(
  403,
  'may_not_push',
  'Your role on this project lets you clone and fetch, but not push: ask an admin for it',
);

export const codeOnGitHub = apiError(
  403,
  'code_on_github',
  'This is a copy: the tasks of the project work in its repository on another host, push there',
);

export const projectArchived = apiError(
  403,
  'project_archived',
  'This project is archived and takes no pushes: restore it first',
);

export const gitUnavailable = apiError(
  503,
  'git_unavailable',
  'This server has no Git, or one older than 2.38, and so no repositories: ask its operator',
);

export const repositoriesElsewhere = apiError(
  503,
  'repository_elsewhere',
  'This server does not have the repository: it must share DATA_DIR with the workers that carry ' +
    'out its tasks, of which one must have started',
  { 'retry-after': '60' },
);

/** Too many processes of Git run, of all callers or of this one. */
export const gitBusy = apiError(
  503,
  'git_busy',
  'Too many clones, fetches and pushes are under way, or too many of yours: try again in a moment',
  { 'retry-after': '5' },
);

// Whatever follows in the body is not read.
const CLOSE = { connection: 'close' };

export const unsupportedBody = apiError(
  415,
  'unsupported_body',
  'This is not what Git sends: use a Git client, without an encoding of the body of a push',
  CLOSE,
);

export const badCommands = apiError(
  400,
  'bad_commands',
  'The list of references to push cannot be read',
  CLOSE,
);

export const tooManyCommands = apiError(
  413,
  'too_many_references',
  'A push may name references of at most 64 KiB: push fewer of them at a time',
  CLOSE,
);
