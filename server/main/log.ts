import { type Logger, pino } from 'pino';
import type { SlowStatement } from '../db/database/connection.ts';
import type { Config } from '../platform/config/config.ts';
import { openLog } from '../telemetry/log.ts';
import { databaseTrace, traceFields } from '../telemetry/spans.ts';
import { type ConnectOptions, connect } from './open-database.ts';

/** Logs to standard error, so that standard output holds only what is printed for people. */
export function serverLog(config: Config): Logger {
  // Written in blocks, at most 100 ms late: one write per line took a tenth of the server's CPU
  // time.
  return openLog(
    config.logLevel,
    pino.destination({ fd: 2, sync: false, minLength: 4096, periodicFlush: 100 }),
    config.tracing && traceFields,
  );
}

export function logWarnings({ warnings }: Config, log: Logger): void {
  for (const warning of warnings) log.warn(warning);
}

export const connectAndLog = (
  config: Config,
  log: Logger,
  options: Pick<ConnectOptions, 'embedded' | 'signal'>,
) => connect(config, { ...observers(config, log), ...options });

/** Who hears what happens with connections to a database. */
export const observers = (config: Config, log: Logger) => ({
  onError: (err: Error) => log.warn({ err }, 'database'),
  onSlow: (slow: SlowStatement) => log.warn(slow, 'slow statement'),
  say: (line: string) => log.info(line),
  trace: config.tracing && databaseTrace,
});
