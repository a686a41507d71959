import { once } from 'node:events';
import { WORK_TREE } from '../places.ts';
import { PodError } from '../pod.ts';
import { podFiles } from '../process/pod-files.ts';
import { framesOf } from '../remote/frames.ts';
import { gathered } from '../remote/gathered.ts';
import { type FileOrder, NOT_FOUND, REFUSED } from '../remote/remote-files.ts';
import { ALONE } from '../tree/disk.ts';
import { untilTaken } from './until-taken.ts';

/** One operation on the work tree: its input in frames, its output as it is. */
export async function files(argument: string): Promise<void> {
  const order: FileOrder = JSON.parse(argument);
  try {
    process.exitCode = (await carryOut(order)) ? 0 : NOT_FOUND;
  } catch (error) {
    if (!(error instanceof PodError)) throw error;
    process.stderr.write(`${error.code}: ${error.message.replaceAll('\n', ' ')}\n`);
    process.exitCode = REFUSED;
  }
  await untilTaken(order.last);
  process.stdin.destroy();
}

/** False where there is no such file or folder. */
async function carryOut(order: FileOrder): Promise<boolean> {
  const tree = podFiles(WORK_TREE, undefined, ALONE);
  if (order.do === 'read') return write(await tree.read(order.path, order));
  if (order.do === 'list') {
    const listed = await tree.list(order.path);
    return write(listed === undefined ? undefined : Buffer.from(JSON.stringify(listed)));
  }
  if (order.do === 'pack')
    for await (const part of gathered(tree.pack(order.bounds))) await write(part);
  if (order.do === 'unpack') await tree.unpack(input(), order.bounds);
  if (order.do === 'remove') await tree.remove(order.path);
  if (order.do === 'write') {
    const parts: Buffer[] = [];
    for await (const part of input()) parts.push(part);
    await tree.write(order.path, Buffer.concat(parts));
  }
  return true;
}

/** What follows it is still to be read. */
const input = () => framesOf(process.stdin.iterator({ destroyOnReturn: false }));

async function write(content: Uint8Array | undefined): Promise<boolean> {
  if (content === undefined) return false;
  if (!process.stdout.write(content)) await once(process.stdout, 'drain');
  return true;
}
