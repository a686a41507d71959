/**
 * The faults of a request. The request is executed and its answer lost: `dropAfter`, `hang`,
 * `truncate`, `500saved` (the idempotency key stores the 500), `502html`, `closeAfter` (answered,
 * then the port is closed). The request is never executed: `dropBefore`, `refuse` (reset, then the
 * port is closed), `rateLimit`, `lockTimeout` (another request is using the object). `slow`:
 * executed late, and the key is in use until then.
 */
export type FaultKind =
  | 'refuse'
  | 'dropBefore'
  | 'dropAfter'
  | 'hang'
  | 'truncate'
  | '500saved'
  | '502html'
  | 'slow'
  | 'rateLimit'
  | 'lockTimeout'
  | 'closeAfter';

export interface Fault {
  /**
   * Method and path, `:name` for any one segment: `POST /v1/payment_intents/:id/confirm`; `*` for
   * every request.
   */
  match: string;
  kind: FaultKind;
  /** How many requests it affects; default 1. The SDK's own retries are requests too. */
  times?: number;
  /** How long `slow` waits (default 1000), or the port stays closed (default: until `openPort`). */
  ms?: number;
  /** Overrides whether the request is executed. */
  executes?: boolean;
}

/** The first fault that affects this request, which counts against its number. */
export function takeFault(faults: Fault[], method: string, path: string): Fault | undefined {
  const index = faults.findIndex(({ match }) => strikes(match, method, path));
  const fault = faults[index];
  if (fault === undefined) return undefined;
  const times = (fault.times ?? 1) - 1;
  if (times > 0) faults[index] = { ...fault, times };
  else faults.splice(index, 1);
  return fault;
}

const NEVER_EXECUTED: ReadonlySet<FaultKind> = new Set([
  'refuse',
  'dropBefore',
  'rateLimit',
  'lockTimeout',
]);

/** Whether the request is executed despite the fault. */
export const executes = (fault: Fault | undefined): boolean =>
  fault === undefined || (fault.executes ?? !NEVER_EXECUTED.has(fault.kind));

function strikes(match: string, method: string, path: string): boolean {
  if (match === '*') return true;
  const [verb, pattern = ''] = match.split(' ');
  const parts = pattern.split('/');
  const actual = path.split('/');
  return (
    verb === method &&
    parts.length === actual.length &&
    parts.every((part, i) => part.startsWith(':') || part === actual[i])
  );
}
