import { type Command, CommanderError, type Option } from 'commander';
import { type Connected, connect } from '../server/main/open-database.ts';
import { openEvents } from '../server/main/open-events.ts';
import type { Config } from '../server/platform/config/config.ts';
import type { TaskEvents } from '../server/tasks/events/task-events.ts';
import { UNUSABLE } from './failure.ts';

/** What a command is run with. */
export interface Cli {
  /** When a command runs, so that `--help` works with a wrong one. Throws ConfigError. */
  readConfig(): Config;
  /** The environment itself, for what looks at a wrong configuration. */
  env: NodeJS.ProcessEnv;
  stdin: NodeJS.ReadableStream;
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream;
  /** Prints a result: one JSON document, or text for people. */
  print(json: boolean | undefined, result: unknown, text: string): void;
  /** Ends the command with 1, although it has printed a result. */
  fail(): void;
}

/**
 * Runs `work` on the migrated database of the configuration, beside a server if one runs. Throws a
 * ConfigError where there is no database; with `mayCreate` it is created there.
 */
export async function withDatabase<Result>(
  config: Config,
  work: (db: Connected['db']) => Promise<Result>,
  { mayCreate = false } = {},
): Promise<Result> {
  const connected = await connect(config, { embedded: mayCreate ? 'start' : 'beside' });
  try {
    return await work(connected.db);
  } finally {
    await connected.close();
  }
}

/** Runs `work` on that database and on the events of tasks. Throws as `withDatabase` does. */
export async function withEvents<Result>(
  config: Config,
  work: (db: Connected['db'], events: TaskEvents) => Promise<Result>,
): Promise<Result> {
  const connected = await connect(config, { embedded: 'beside' });
  try {
    const events = await openEvents(config, connected.url, { say: () => {} });
    return await work(connected.db, events).finally(events.close);
  } finally {
    await connected.close();
  }
}

/** Runs `work` with a signal that a first SIGINT or SIGTERM aborts. */
export async function untilInterrupted(
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const abort = () => stop.abort();
  process.once('SIGINT', abort).once('SIGTERM', abort);
  try {
    await work(stop.signal);
  } finally {
    process.off('SIGINT', abort).off('SIGTERM', abort);
  }
}

/** Adds the option that every command has. */
export const withJson = (command: Command): Command =>
  command.option('--json', 'print the result as one JSON document');

/**
 * Refuses an option with a value that is given twice, or that has another option as its value, in
 * all commands below this one, which runs with `args`. Commander takes the last, or the option for
 * the value, so a script would silently work on something else. `--name=--json` gives such a value.
 */
export function refuseMisreadOptions(command: Command, args: readonly string[]): void {
  for (const option of command.options.filter(({ required }) => required)) {
    let isGiven = false;
    const refuse = (why: string) => {
      throw new CommanderError(UNUSABLE, 'guildhall.misreadOption', why);
    };
    command.on(`option:${option.name()}`, (value: string) => {
      if (isGiven) refuse(`option '${option.flags}' can be given only once`);
      isGiven = true;
      const follows = args.some((each, i) => isFlag(option, each) && args[i + 1] === value);
      if (follows && command.options.some((other) => isFlag(other, value)))
        refuse(`option '${option.flags}' needs a value before '${value}'`);
    });
  }
  for (const each of command.commands) refuseMisreadOptions(each, args);
}

const isFlag = ({ long, short }: Option, given: string) => [long, short].includes(given);

/** Formats columns of text, each as wide as its widest cell. */
export function table(head: string[], rows: string[][]): string {
  const widths = head.map((name, column) =>
    Math.max(...[head, ...rows].map((row) => (row[column] ?? name).length)),
  );
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Where the data is, for people. */
export const dataOf = ({ dataDir, databaseUrl }: Config, embedded: boolean): string =>
  embedded ? dataDir : databaseName(databaseUrl ?? '');

/** Names the PostgreSQL of DATABASE_URL without its login. */
function databaseName(url: string): string {
  const { host, pathname } = new URL(url);
  return (
    `PostgreSQL database ${decodeURIComponent(pathname.slice(1)) || 'of this user'} on ` +
    `${host || 'this machine'}`
  );
}
