import { endOf, UpTo } from '../remote/whole.ts';

/**
 * Resolves once the worker has all that this process has printed, or is gone. What else it sends is
 * thrown away. See remote/whole.ts.
 */
export async function untilTaken(last: string): Promise<void> {
  const end = endOf(last);
  const { stdin, stdout, stderr } = process;
  if (stdin.destroyed || stdin.readableEnded) return;
  stdin.removeAllListeners('data');
  await new Promise<void>((resolve) => {
    stdin.on('close', resolve).on('end', resolve);
    stdin.pipe(new UpTo(end, resolve)).resume();
    for (const stream of [stdout, stderr]) stream.write(end);
  });
}
