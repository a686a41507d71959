import { type Facts, HostError } from '../hosts/host-error.ts';

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
