import { load, quantile } from './load.ts';
import { mix, type Operation } from './operations.ts';
import type { OperationResult, Tail } from './report.ts';
import type { Served } from './servers.ts';

/**
 * P with one connection, at half of what saturates the server in this run, and at 1,500 requests
 * per second.
 */
export async function tail(
  served: Served,
  operation: Operation,
  result: OperationResult,
  seconds: number,
  say: (line: string) => void,
): Promise<Tail[]> {
  const half = Math.round(
    (result.variants.find(({ name }) => name === served.name)?.perSecond.median ?? 0) / 2,
  );
  const tails: Tail[] = [];
  for (const { name, offered, ...pace } of [
    { name: 'one', offered: 'one connection', connections: 1 },
    { name: 'half', offered: `half of saturation, ${half}/s offered`, connections: 32, rate: half },
    { name: 'steady', offered: '1,500/s offered', connections: 32, rate: 1_500 },
  ]) {
    say(`P: latency, ${offered}`);
    const {
      latencies,
      requests,
      seconds: took,
    } = await load({
      url: served.url,
      next: mix(operation),
      seconds: seconds * 2,
      ...pace,
    });
    tails.push({
      name,
      offered,
      perSecond: requests / took,
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
    });
  }
  return tails;
}
