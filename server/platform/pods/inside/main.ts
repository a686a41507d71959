import { files } from './files.ts';
import { forward } from './forward.ts';
import { end, run } from './run.ts';

/**
 * The helper: a program in the image of pods that are elsewhere, called by the worker through the
 * engine. It runs as the agent's user, so it is no boundary: whatever it answers, the agent could.
 *
 *     run            a command, told by the first frame of the input
 *     end MARK       every process of a command
 *     forward PATH   a socket at that path to the input and output
 *     files ORDER    one operation on the work tree
 */
const [what = '', argument = ''] = process.argv.slice(2);
const all: Record<string, (argument: string) => Promise<void>> = { run, end, forward, files };
await (all[what] ?? (() => Promise.reject(new Error(`"${what}" is no order`))))(argument);
