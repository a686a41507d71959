/** What can go wrong at a code host, as codes that stay the same. */
export type HostErrorCode =
  /** It did not answer in time, or with a fault of its own: try again later. */
  | 'github_unavailable'
  /** Nothing may be asked before `until`. */
  | 'github_rate_limited'
  /** The App lacks `permission`. */
  | 'github_permission_missing'
  /** The repository was deleted, or the installation no longer has it. */
  | 'github_repository_gone'
  /** The name of its default branch is none that is used here. */
  | 'github_default_branch_unusable'
  | 'github_installation_suspended'
  | 'github_installation_gone'
  /** The key or the id of the App is wrong, or the clock of this machine. */
  | 'github_app_refused'
  /** Another refusal: `status` and `said` tell what of. */
  | 'github_refused'
  /** It did not answer in time, answered with a fault of its own, or may not be reached from here. */
  | 'gitea_unavailable'
  | 'gitea_rate_limited'
  /** The token is none any more, or was never one. */
  | 'gitea_token_refused'
  /** The token lacks a scope, or its account a right in the repository. */
  | 'gitea_permission_missing'
  /** The repository was deleted, or the account of the token does not see it. */
  | 'gitea_repository_gone'
  | 'gitea_default_branch_unusable'
  | 'gitea_refused';

const SENTENCES: Record<HostErrorCode, string> = {
  github_unavailable: 'GitHub does not answer right now: try again later',
  github_rate_limited: 'GitHub limits how often this server may ask: wait, then try again',
  github_permission_missing:
    'The GitHub App lacks a permission: its owner must add it in the settings of the App, and ' +
    'the owner of the account must accept it',
  github_repository_gone:
    'The installation of the GitHub App no longer has this repository: add it in the settings of ' +
    'the installation on GitHub',
  github_default_branch_unusable:
    'The default branch of the repository has a name that cannot be used here: rename it on GitHub',
  github_installation_suspended:
    'The installation of the GitHub App is suspended: its account must unsuspend it on GitHub',
  github_installation_gone:
    'The GitHub App is no longer installed in this account: install it again on GitHub',
  github_app_refused:
    'GitHub refuses the key of the App: check GITHUB_APP_ID, GITHUB_APP_PRIVATE_KEY and the clock ' +
    'of this machine',
  github_refused: 'GitHub refused the request',
  gitea_unavailable: 'The Gitea or Forgejo server does not answer right now: try again later',
  gitea_rate_limited:
    'The Gitea or Forgejo server limits how often it may be asked: wait, then try again',
  gitea_token_refused:
    'The Gitea or Forgejo server does not accept the token of the connection: make a new one there, ' +
    'and replace it in the settings of the workspace',
  gitea_permission_missing:
    'The token of the connection may not do that: its account needs to write to the repository, and ' +
    'the token the scope `write:repository`',
  gitea_repository_gone:
    'The account of the token does not see this repository any more: give it access there, or ' +
    'detach the repository',
  gitea_default_branch_unusable:
    'The default branch of the repository has a name that cannot be used here: rename it there',
  gitea_refused: 'The Gitea or Forgejo server refused the request',
};

export interface Facts {
  /** The status of the answer, if there was one. */
  status?: number | undefined;
  /** The sentence of the host, without secrets. */
  said?: string | undefined;
  /** Such as `contents=read`; several are alternatives. */
  permission?: string | undefined;
  until?: Date | undefined;
  /** GitHub has named no time: `until` is the least that it asks for. */
  guessed?: boolean | undefined;
  /** What GitHub's support asks for. */
  requestId?: string | undefined;
}

/**
 * The one error of calls to a code host. It holds neither the request nor its headers, so it may be
 * logged whole.
 */
export class HostError extends Error {
  readonly code: HostErrorCode;
  readonly status: number | undefined;
  readonly said: string | undefined;
  readonly permission: string | undefined;
  readonly until: Date | undefined;
  readonly guessed: boolean | undefined;
  readonly requestId: string | undefined;

  constructor(code: HostErrorCode, facts: Facts = {}) {
    const { permission, said } = facts;
    const about = code === 'github_refused' || code === 'gitea_refused' ? said : permission;
    super(about === undefined ? SENTENCES[code] : `${SENTENCES[code]} (${about})`);
    this.name = 'HostError';
    this.code = code;
    this.status = facts.status;
    this.said = said;
    this.permission = permission;
    this.until = facts.until;
    this.guessed = facts.guessed;
    this.requestId = facts.requestId;
  }

  /** Whether the host knows who asks, and has no such object. */
  get notFound(): boolean {
    const refused = this.code === 'github_refused' || this.code === 'gitea_refused';
    return refused && this.status === 404;
  }

  /** Whether the same call may succeed later although no person does anything. */
  get passes(): boolean {
    return /_(?:unavailable|rate_limited)$/.test(this.code);
  }
}

/** What a host answers, or undefined if it has no such object. Throws the other HostErrors. */
export async function unlessGone<Result>(ask: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof HostError && error.notFound) return undefined;
    throw error;
  }
}
