import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { type Pod, PodError, type PodProcess } from '../../../platform/pods/pod.ts';

/**
 * What a setup has left in a pod, packed and unpacked by programs of the pod, as its user: nothing
 * here reads the archive, so that it can do no more than the setup itself.
 */

/** How long packing or unpacking may take, in milliseconds. */
const WITHIN_MS = 600_000;
/** Characters that are read of what a pod says of itself. */
const MOST_SAID = 20_000;

/** The work tree and the home folder are beside each other in every pod. */
const SCRIPT_START = 'set -eu; cd "$1"; export LC_ALL=C';

/**
 * The input lists what the commit has, with NULs. Files in the home folder, and in the work tree
 * those that the commit does not have, are printed as an archive.
 */
const PACK = `${SCRIPT_START}
lists=$(mktemp -d)
sort -z > "$lists/commit"
find work home -mindepth 1 -print0 > "$lists/found"
sort -z < "$lists/found" > "$lists/all"
comm -z -23 "$lists/all" "$lists/commit" > "$lists/made"
tar --create --file=- --null --no-recursion --files-from="$lists/made"
rm -rf "$lists"`;

/** What is there stays as it is. */
const UNPACK = `${SCRIPT_START}
exec tar --extract --file=- --preserve-permissions --skip-old-files`;

/** What the result of a setup may depend on, besides the commit. */
const PROBE =
  'uname -sm; node --version; python3 --version; cat /etc/os-release /usr/lib/os-release; true';

interface Packed {
  archive: Readable;
  /** Resolves with whether all of it was packed. */
  finish(): Promise<boolean>;
  kill(): Promise<void>;
}

/** `paths`: files and folders of the commit, relative to the work tree. */
export async function packMade(
  pod: Pod,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<Packed> {
  const process = await run(pod, PACK, 'read-only', signal);
  process.stderr.resume();
  process.stdin.end(Buffer.from(paths.map((path) => `work/${path}\0`).join(''), 'latin1'));
  return {
    archive: process.stdout,
    finish: async () => (await process.exited).code === 0,
    kill: process.kill,
  };
}

/** Whether that has worked: otherwise the pod has a part of it. Of a cut archive it has not. */
export async function unpackMade(
  pod: Pod,
  archive: Readable,
  signal: AbortSignal,
): Promise<boolean> {
  const process = await run(pod, UNPACK, 'writable', signal);
  process.stdout.resume();
  process.stderr.resume();
  // It may end before it has read what follows the end of the archive.
  await pipeline(archive, process.stdin, { signal }).catch(() => undefined);
  return (await process.exited).code === 0;
}

/** What system and languages a pod has, before anything of its commit has run in it. */
export async function probePod(pod: Pod, signal: AbortSignal): Promise<string> {
  const process = await run(pod, PROBE, 'read-only', signal);
  process.stdin.end();
  process.stderr.resume();
  let said = '';
  process.stdout.on('data', (chunk: Buffer) => {
    if (said.length < MOST_SAID) said += chunk.toString('latin1');
  });
  const [{ code }] = await Promise.all([process.exited, finished(process.stdout)]);
  if (code !== 0) throw new PodError('failed', 'the pod does not say what system it has');
  return said;
}

const run = (
  pod: Pod,
  script: string,
  tree: 'read-only' | 'writable',
  signal: AbortSignal,
): Promise<PodProcess> =>
  pod.exec({
    command: 'sh',
    args: ['-c', script, 'sh', dirname(pod.workTree)],
    tree,
    signal: AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]),
  });
