import { parentPort, workerData } from 'node:worker_threads';
import { type LoadRequest, load } from './load.ts';
import { toBytes } from './operations.ts';

/** What a flood needs to know: `rate` sign-ins a second, over so many connections at most. */
export interface Flood {
  url: string;
  seconds: number;
  rate: number;
  connections: number;
}

/** Its answers by status, and the microseconds of CPU that its thread has taken. */
export interface Flooded {
  statuses: Record<number, number>;
  cpu: number;
}

let tried = 0;

/** One wrong password, from another network each time, so that no limit ends the flood. */
export function wrongSignIn(email: string): LoadRequest {
  const network = `${(tried >> 16).toString(16)}:${(tried++ & 65_535).toString(16)}`;
  const check = () => undefined;
  const body = { email, password: 'not this one' };
  return {
    bytes: toBytes(
      { method: 'POST', path: '/auth/sign-in', key: '-', body, check },
      { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': `2001:db8:${network}::1` },
    ),
    check,
  };
}

// The flood comes from a thread of its own, so that it takes no time of the other clients.
if (parentPort !== null) {
  const { url, seconds, rate, connections } = workerData as Flood;
  const before = process.threadCpuUsage();
  const { statuses } = await load({
    url,
    seconds,
    rate,
    connections,
    next: () => wrongSignIn(`no-one-${tried}@example.com`),
  });
  const { user, system } = process.threadCpuUsage(before);
  parentPort.postMessage({ statuses, cpu: user + system } satisfies Flooded);
}
