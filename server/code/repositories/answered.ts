import { apiError } from '../../http/errors.ts';

/** How long a request waits for git, in milliseconds. */
export const GIT_WITHIN_MS = 10_000;

/** Git was ended before it had answered: it took too long, or the client or this server has gone. */
export const gitLate = apiError(
  503,
  'git_busy',
  'Git did not answer in time: wait a moment, then try again. If it goes on, the disk or the memory ' +
    'of the server is short, as its operator can see',
  { 'retry-after': '5' },
);

/** What git says to a request. Errors: 503 git_busy instead of a failure of git that was ended. */
export const answered = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error) => {
    throw wasEnded(error) ? gitLate() : error;
  });

/** By this process, for which reason ever, or by the system, as where there is no memory left. */
export function wasEnded(error: unknown): boolean {
  const { name, killed, signal } = error as { name?: string; killed?: boolean; signal?: unknown };
  return (
    killed === true ||
    typeof signal === 'string' ||
    name === 'AbortError' ||
    name === 'TimeoutError'
  );
}
