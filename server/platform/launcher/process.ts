import { execFile } from 'node:child_process';
import type { Answer, Request } from './launcher.ts';

/**
 * The process of `launcher.ts`: runs programs to their end and answers with what they have printed.
 * It imports nothing else, because what makes it small makes a start cheap.
 */

const running = new Map<number, AbortController>();

process.on('message', (request: Request) => {
  if (request.program === undefined) running.get(request.id)?.abort();
  else run(request.id, request.program);
});

function run(id: number, { file, args, input, ...options }: NonNullable<Request['program']>): void {
  const abort = new AbortController();
  running.set(id, abort);
  const child = execFile(
    file,
    args,
    { ...options, signal: abort.signal, encoding: 'buffer' },
    (error, stdout, stderr) => {
      running.delete(id);
      const { name, message, code, killed = false, signal } = error ?? {};
      const failure = error === null ? undefined : { name, message, code, killed, signal };
      process.send?.({ id, stdout, stderr, failure } as Answer);
    },
  );
  // It may end without having read everything; its code says so.
  child.stdin?.on('error', () => undefined).end(input);
}

// A signal of the terminal is also sent here. The one that asks decides what it ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
// The one that has asked is gone, and its work is another one's soon.
process.once('disconnect', () => {
  for (const abort of running.values()) abort.abort();
  process.exit();
});
