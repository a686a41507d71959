import { availableParallelism } from 'node:os';

const FLAG = '--single-threaded-gc';

/** With more cores than this, V8's helper threads shorten the pauses instead. */
const FEW_CORES = 2;

/**
 * The command line with which this process must be replaced so that V8 collects garbage on its main
 * thread alone, or undefined when it may stay as it is. With few cores V8's helper threads take
 * them from requests (decision 18). V8 reads the flag only as it starts: NODE_OPTIONS does not
 * allow it, and `v8.setFlagsFromString` comes too late.
 */
export function replacement(
  { argv, execArgv, execPath }: Pick<NodeJS.Process, 'argv' | 'execArgv' | 'execPath'>,
  cores: number,
): string[] | undefined {
  if (argv[2] !== 'serve' || cores > FEW_CORES) return undefined;
  // Given already, or switched off by an operator.
  if (execArgv.some((arg) => /^--(no-?)?single[-_]threaded[-_]gc$/.test(arg))) return undefined;
  return [execPath, ...execArgv, FLAG, ...argv.slice(1)];
}

/**
 * Replaces this process by itself with the flag; it keeps its process id, and a cluster's workers
 * inherit the flag.
 */
export function useSingleThreadedGc(): void {
  const args = replacement(process, availableParallelism());
  // A channel to a parent process would not survive; Windows cannot replace a process.
  if (args === undefined || process.send !== undefined || process.platform === 'win32') return;
  // biome-ignore lint/style/noProcessEnv: it is passed on, not read as configuration.
  process.execve?.(process.execPath, args, process.env);
}
