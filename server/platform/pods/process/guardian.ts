import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { endProcessesOf, kill, markOfCommand } from './descendants.ts';

/**
 * A program: runs a command of a pod that is not confined, and ends it with its descendants when
 * the server that started this has died. The server holds the other end of descriptor 3; the
 * kernel closes it, even after SIGKILL.
 */

const [command = '', ...args] = process.argv.slice(2);
// biome-ignore lint/style/noProcessEnv: the environment of the pod, which is passed on.
const env = process.env;

const endAll = async () => {
  await endProcessesOf(markOfCommand(env.GUILDHALL_COMMAND ?? '')).catch(() => undefined);
  kill(-process.pid);
};

// Not a stream of a file: its read would occupy a thread that `process.exit` waits for.
new Socket({ fd: 3 })
  .on('error', () => undefined)
  .on('close', endAll)
  .resume();

const child = spawn(command, args, { env, stdio: ['inherit', 'inherit', 'inherit'] });
child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(127);
});
child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 137));
