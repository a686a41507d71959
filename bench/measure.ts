import { FLOOR_CLIENTS, type Floor, type FloorResult, runFloor } from './floor.ts';
import { load, quantile } from './load.ts';
import { mix, type Operation, toBytes } from './operations.ts';
import { cpuOfGroup, residentMb } from './processes.ts';
import type { Served } from './servers.ts';

/** One measurement of one variant. CPU in microseconds per request, latencies in milliseconds. */
export interface Measured {
  perSecond: number;
  serverCpu?: number;
  postgresCpu: number;
  p50?: number;
  p99?: number;
  errors: number;
  residentMb?: number;
}

export interface Pace {
  seconds: number;
  connections: number;
  postgresCpu: () => number;
  /** Where first approvals continue. */
  from?: number;
}

/** Loads one server with one operation. Throws if an answer was wrong. */
export async function measureServer(
  served: Served,
  operation: Operation,
  pace: Pace,
): Promise<Measured> {
  const next =
    served.instead === undefined ? mix(operation, pace.from) : always(served.instead, operation);
  const before = { server: cpuOfGroup(served.pid), postgres: pace.postgresCpu() };
  const result = await load({
    url: served.url,
    connections: pace.connections,
    next,
    ...(operation.once === undefined ? { seconds: pace.seconds } : { requests: operation.once }),
  });
  const each = (microseconds: number) => microseconds / result.requests;
  const good = result.statuses[200] ?? 0;
  if (result.wrong.length > 0)
    throw new WrongAnswer(`${served.name}, ${operation.name}: ${result.wrong.join('\n')}`);
  return {
    perSecond: result.requests / result.seconds,
    serverCpu: each(cpuOfGroup(served.pid) - before.server),
    postgresCpu: each(pace.postgresCpu() - before.postgres),
    p50: quantile(result.latencies, 0.5),
    p99: quantile(result.latencies, 0.99),
    errors: result.requests - good,
    residentMb: residentMb(served.pid),
  };
}

/** An unexpected answer: the figures of such a run mean nothing. */
export class WrongAnswer extends Error {}

/** Runs the floor of one operation, with 8 clients by default. */
export async function measureFloor(
  databaseUrl: string,
  floor: Floor,
  operation: Operation,
  pace: Pace & { clients?: number },
): Promise<Measured> {
  const clients = pace.clients ?? FLOOR_CLIENTS;
  const before = pace.postgresCpu();
  const result: FloorResult = await runFloor(databaseUrl, floor, {
    clients,
    ...(operation.once === undefined
      ? { seconds: pace.seconds }
      : {
          each: Math.floor(operation.once / clients),
          variables: { i: -1, first: pace.from ?? 0 },
        }),
  });
  return {
    perSecond: result.perSecond,
    postgresCpu: (pace.postgresCpu() - before) / result.requests,
    errors: 0,
  };
}

function always(
  { headers, path }: { headers: Record<string, string>; path: string },
  operation: Operation,
) {
  const { check } = operation.request(0);
  const bytes = toBytes(
    { method: 'GET', path, key: '-', check },
    { ...headers, authorization: '-' },
  );
  return () => ({ bytes, check });
}

/** How far it varied over the rounds. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

export function spread(values: (number | undefined)[]): Spread {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const median =
    sorted.length % 2 === 1
      ? (sorted[Math.floor(middle)] as number)
      : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
  return { median, min: sorted[0] as number, max: sorted.at(-1) as number };
}
