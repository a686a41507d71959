import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';

const BUILD = join(import.meta.dirname, '../web/build.ts');
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Builds the dashboard in a process of its own, unless it is up to date. Rejects with a sentence for
 * people when that fails; what failed is on standard error then. It ends with this process.
 */
export function buildDashboard(build = BUILD): Promise<void> {
  // Standard output is for the result of the command.
  const child = spawn(process.execPath, [build], { stdio: ['ignore', process.stderr, 'inherit'] });
  const end = () => child.kill();
  process.once('exit', end);
  // Until the start waits for signals itself, they would end this process without that event.
  const endAlone = (signal: NodeJS.Signals) => {
    if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.on(signal, endAlone);
  const release = () => {
    process.off('exit', end);
    for (const signal of SIGNALS) process.off(signal, endAlone);
  };
  const built = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      release();
      if (code === 0) resolve();
      else reject(new Error(notBuilt(signal ?? `code ${code}`)));
    });
  });
  // The start may end for another reason before it asks.
  built.catch(() => {});
  return built;
}

const notBuilt = (how: string): string =>
  `The dashboard could not be built (${how}): what is wrong is written above. ` +
  'To start without building it: npm run guildhall -- serve';
