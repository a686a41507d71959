import { InstanceError } from '../instances/instance-driver.ts';
import { json, type Shown } from './protocol.ts';
import { Refusal } from './refusal.ts';
import type { ErpCommand, ErpTarget } from './target.ts';

/** Commands that an agent has run in the throwaway Odoo of its task, beside calls of its API. */

const PATH = /^\/command\/(shell|update|test)$/;
const WITHIN_MS = { shell: 5 * 60_000, update: 15 * 60_000, test: 30 * 60_000 };
/** Characters of a script, and of what comes back. */
const MOST_SCRIPT = 64 * 1024;
const MOST_SAID = 64 * 1024;
const MOST_MODULES = 50;
const MODULE = /^[a-zA-Z0-9_]{1,100}$/;

export const commandIn = (path: string): ErpCommand['what'] | undefined =>
  PATH.exec(path)?.[1] as ErpCommand['what'] | undefined;

/** Throws Refusal for what is no command. */
export function readCommand(what: ErpCommand['what'], body: string): ErpCommand {
  let said: unknown;
  try {
    said = JSON.parse(body);
  } catch {
    throw new Refusal(400, 'The body must be JSON.');
  }
  const { script, modules } = (said ?? {}) as Record<string, unknown>;
  if (what === 'shell') {
    if (typeof script !== 'string' || script.length > MOST_SCRIPT)
      throw new Refusal(422, `Send {"script": "…"}: Python for odoo shell, at most 64 KiB.`);
    return { what, script };
  }
  const names: unknown[] = Array.isArray(modules) ? modules : [];
  const known = names.filter((name) => typeof name === 'string' && MODULE.test(name)) as string[];
  if (known.length === 0 || known.length !== names.length || known.length > MOST_MODULES)
    throw new Refusal(422, `Send {"modules": ["…"]}: 1 to ${MOST_MODULES} names of modules.`);
  return { what, modules: known };
}

/** `onBegin`: once it is allowed. Throws Refusal for what is not. */
export async function runCommand(
  { run, access }: ErpTarget,
  command: ErpCommand,
  signal: AbortSignal,
  onBegin: () => void,
): Promise<Shown> {
  if (run === undefined)
    throw new Refusal(404, 'Commands are for the throwaway Odoo of the task alone.');
  // Tests have a database of their own.
  if (access !== 'write' && command.what !== 'test')
    throw new Refusal(
      403,
      'While a plan is written, nothing is changed: run it in the build turn.',
    );
  onBegin();
  const late = AbortSignal.timeout(WITHIN_MS[command.what]);
  const ended = await run(command, AbortSignal.any([signal, late])).catch((error: unknown) => {
    if (signal.aborted) throw new Refusal(503, 'The turn has ended.');
    if (late.aborted) throw new Refusal(504, 'It took too long and was ended.');
    if (error instanceof InstanceError && error.code === 'unavailable')
      throw new Refusal(409, 'Another command runs in it: wait until that has ended.');
    throw error;
  });
  if (ended === undefined) throw new Refusal(501, 'What runs this Odoo has no such command.');
  const { code, log } = ended;
  return json(200, { exit_code: code, output: log.slice(-MOST_SAID).toWellFormed() });
}
