import type { ServerResponse } from 'node:http';
import type { Striking } from '../faults.ts';
import { Refusal } from './refusals.ts';
import type { Answered } from './typed.ts';

/**
 * What happens to a request. Never executed: `dropBefore` (the connection is reset), `hangBefore`
 * (no answer), `502before`, `secondaryLimit`. Executed: `dropAfter`, `hangAfter`, `502after`,
 * `truncate` (half an answer), `slow` (executed late), `stale` (a GET is answered as it was the
 * last time). `baseModified`: a merge finds that another one was faster. Those of a push, `POST
 * /acme/shop.git/git-receive-pack`, are the ones with `drop`, `hang` and `502`.
 */
export type FaultKind =
  | 'dropBefore'
  | 'dropAfter'
  | 'hangBefore'
  | 'hangAfter'
  | '502before'
  | '502after'
  | 'truncate'
  | 'slow'
  | 'stale'
  | 'secondaryLimit'
  | 'baseModified';

export interface Fault extends Striking {
  kind: FaultKind;
  /** How long `slow` waits; default 1000. */
  ms?: number;
  /** Of `secondaryLimit`; default 403. */
  status?: 403 | 429;
  /** Seconds that `secondaryLimit` names; default: none, as GitHub does at times. */
  retryAfter?: number;
}

const NEVER_EXECUTED: ReadonlySet<FaultKind> = new Set([
  'dropBefore',
  'hangBefore',
  '502before',
  'secondaryLimit',
]);

export const executes = (fault: Fault | undefined): boolean =>
  fault === undefined || !NEVER_EXECUTED.has(fault.kind);

/** GitHub's answer to too many requests at once. */
export const secondaryLimit = ({ status = 403, retryAfter }: Fault): Refusal =>
  new Refusal(
    status,
    'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  );

/** Sends an answer, or what a fault leaves of it. */
export function send(
  response: ServerResponse,
  { status, body, headers }: Answered,
  fault: Fault | undefined,
): void {
  switch (fault?.kind) {
    case 'dropBefore':
    case 'dropAfter':
      response.socket?.resetAndDestroy();
      return;
    case 'hangBefore':
    case 'hangAfter':
      return;
    case '502before':
    case '502after':
      response
        .writeHead(502, { 'content-type': 'text/html' })
        .end('<html><h1>502 Bad Gateway</h1></html>');
      return;
  }
  const text = body === undefined ? '' : JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  if (fault?.kind === 'truncate')
    response.write(text.slice(0, text.length / 2), () => response.socket?.destroy());
  else response.end(text);
}
