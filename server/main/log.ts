import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { SlowStatement } from '../db/database/connection.ts';
import type { Config } from '../platform/config/config.ts';
import { openLog } from '../telemetry/log.ts';
import { readable } from '../telemetry/readable-log.ts';
import { databaseTrace, traceFields } from '../telemetry/spans.ts';
import { type ConnectOptions, connect } from './open-database.ts';

/**
 * Logs to standard error: lines for people where they look at both outputs in a terminal, else JSON.
 * What `serve` and `work` print to standard output follows the same rule (cli/announce.ts).
 */
export function serverLog(config: Config): Logger {
  return openLog(config.logLevel, destination(), config.tracing && traceFields);
}

const destination = (): DestinationStream =>
  isatty(1) && isatty(2)
    ? readable((text) => void process.stderr.write(text))
    : // Written in blocks, at most 100 ms late: one write per line took a tenth of the server's CPU
      // time.
      pino.destination({ fd: 2, sync: false, minLength: 4096, periodicFlush: 100 });

export function logWarnings({ warnings }: Config, log: Logger): void {
  for (const warning of warnings) log.warn(warning);
}

export const connectAndLog = (
  config: Config,
  log: Logger,
  options: Pick<ConnectOptions, 'embedded' | 'signal' | 'replicaUrls'>,
) => connect(config, { ...observers(config, log), ...options });

/** Who hears what happens with connections to a database. */
export const observers = (config: Config, log: Logger) => ({
  onError: (err: Error) => log.warn({ err }, 'database'),
  onSlow: (slow: SlowStatement) => log.warn(slow, 'slow statement'),
  onReplica: (replica: string, fault: string | undefined) => {
    if (fault === undefined) log.info({ replica }, 'reads go to this replica');
    else log.warn({ replica, fault }, 'this replica is not used: its reads go to the primary');
  },
  say: (line: string) => log.info(line),
  trace: config.tracing && databaseTrace,
});
