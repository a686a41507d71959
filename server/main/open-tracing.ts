import type { Logger } from 'pino';
import type { Config } from '../platform/config/config.ts';
import type { Tracing } from '../telemetry/opentelemetry.ts';

/** OpenTelemetry is loaded only when traces are on: without them nothing costs more. */
export async function openTracing(
  { tracing }: Pick<Config, 'tracing'>,
  log: Logger,
): Promise<Tracing | undefined> {
  if (tracing === undefined) return undefined;
  const opentelemetry = await import('../telemetry/opentelemetry.ts');
  return opentelemetry.openTracing(tracing, log);
}
