/** Which requests a fault affects. */
export interface Striking {
  /**
   * Method and path, `:name` for any one segment: `POST /v1/payment_intents/:id/confirm`; `*` for
   * every request.
   */
  match: string;
  /** How many requests it affects; default 1. A client's own retries are requests too. */
  times?: number;
}

/** The first fault that affects this request, which counts against its number. */
export function takeFault<Fault extends Striking>(
  faults: Fault[],
  method: string,
  path: string,
): Fault | undefined {
  const index = faults.findIndex(({ match }) => strikes(match, method, path));
  const fault = faults[index];
  if (fault === undefined) return undefined;
  const times = (fault.times ?? 1) - 1;
  if (times > 0) faults[index] = { ...fault, times };
  else faults.splice(index, 1);
  return fault;
}

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
