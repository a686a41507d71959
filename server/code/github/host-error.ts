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
  | 'github_refused';

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
};

interface Facts {
  /** The status of the answer, if there was one. */
  status?: number | undefined;
  /** The sentence of GitHub, without secrets. */
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
 * The one error of calls to GitHub. It holds neither the request nor its headers, so it may be
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
    const about = code === 'github_refused' ? said : permission;
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

  /** Whether GitHub knows the App, and has no such object. */
  get notFound(): boolean {
    return this.code === 'github_refused' && this.status === 404;
  }

  /** Whether the same call may succeed later although no person does anything. */
  get passes(): boolean {
    return this.code === 'github_unavailable' || this.code === 'github_rate_limited';
  }
}

/** What GitHub answers, or undefined if it has no such object. Throws the other HostErrors. */
export async function unlessGone<Result>(ask: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof HostError && error.notFound) return undefined;
    throw error;
  }
}

/** An answer of GitHub that is no success. Names of headers are in lower case. */
export interface Refusal {
  status: number;
  headers: Readonly<Record<string, string | number | undefined>>;
  message: string;
}

/** What an answer means. `now` is the time of this machine, in milliseconds. */
export function errorOf({ status, headers, message }: Refusal, now = Date.now()): HostError {
  const facts: Facts = {
    status,
    said: message.slice(0, 300),
    requestId: headers['x-github-request-id']?.toString(),
  };
  const limit = limitOf({ status, headers, message }, now);
  if (limit !== undefined) return new HostError('github_rate_limited', { ...facts, ...limit });
  if (status >= 500) return new HostError('github_unavailable', facts);
  // To the credential of an App that GitHub does not know.
  if (status === 404 && /integration not found/i.test(message))
    return new HostError('github_app_refused', facts);
  if (/installation has been suspended/i.test(message))
    return new HostError('github_installation_suspended', facts);
  if (status === 451 || /repository access blocked/i.test(message))
    return new HostError('github_repository_gone', facts);
  if (status === 403 && /not accessible by integration/i.test(message)) {
    const accepted = headers['x-accepted-github-permissions']?.toString();
    return new HostError('github_permission_missing', { ...facts, permission: accepted });
  }
  return new HostError('github_refused', facts);
}

/** Where GitHub names no time it asks for at least this many milliseconds. */
const AT_LEAST = 60_000;

/**
 * When GitHub may be asked again, if this answer says so: after `retry-after`; when its limit
 * begins anew; a minute later where it names no time. Its clock counts, not that of this machine.
 */
function limitOf({ status, headers, message }: Refusal, now: number): Limit | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const after = Number(headers['retry-after'] ?? Number.NaN);
  if (after >= 0) return { until: new Date(now + Math.max(1, after) * 1000) };
  if (exhausted(headers) && !/not accessible/i.test(message))
    return { until: resetOf(headers, now) };
  return status === 429 || /rate limit|abuse detection/i.test(message)
    ? { until: new Date(now + AT_LEAST), guessed: true }
    : undefined;
}

type Limit = Required<Pick<Facts, 'until'>> & Pick<Facts, 'guessed'>;

/** Whether this answer was the last one of the limit. */
export const exhausted = (headers: Refusal['headers']): boolean =>
  headers['x-ratelimit-remaining']?.toString() === '0';

/** When the limit begins anew, by the clock of this machine. */
export function resetOf(headers: Refusal['headers'], now: number): Date {
  const reset = Number(headers['x-ratelimit-reset'] ?? Number.NaN) * 1000;
  const theirs = Date.parse(headers.date?.toString() ?? '');
  const left = reset - (Number.isNaN(theirs) ? now : theirs);
  return new Date(now + (left >= 0 && left <= 3_600_000 ? left + 1_000 : AT_LEAST));
}
