import type { Striking } from '../faults.ts';

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

export interface Fault extends Striking {
  kind: FaultKind;
  /** How long `slow` waits (default 1000), or the port stays closed (default: until `openPort`). */
  ms?: number;
  /** Overrides whether the request is executed. */
  executes?: boolean;
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
