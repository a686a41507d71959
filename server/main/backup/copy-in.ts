import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { beginCopy, gitDirOf, receivePack } from '../../code/index.ts';
import type { Load } from '../../db/copy/copy-in.ts';
import type { Manifest } from '../../platform/archive/manifest.ts';
import { groupOf } from '../../platform/archive/names.ts';
import { BadArchive, type OnEntry } from '../../platform/archive/read-archive.ts';
import type { FileStore } from '../../platform/files/file-store.ts';
import { folderOf } from './copy-out.ts';
import type { OnStep } from './progress.ts';

/** Where the parts of an archive go. */
interface CopyIn {
  manifest: Manifest;
  /** By the number of the database. */
  loads: readonly Load[];
  store: FileStore;
  /** The folder of repositories. */
  directory: string;
  onStep: OnStep;
}

/** What the pieces of one stream are written to, one after the other. */
interface Sink {
  group: string;
  input: Writable;
  /** After the last piece. */
  end(): Promise<void>;
}

/** Writes each entry to its place. `end` is to be called after the last. */
export function copyIn(to: CopyIn): { onEntry: OnEntry; end(): Promise<void> } {
  const { manifest, store, directory, onStep } = to;
  const missing = new Set(manifest.files.missing);
  const tables = tablesOf(to);
  const packs = new Map(
    manifest.repositories.flatMap(({ pack, project, name }) =>
      pack === null ? [] : [[pack, gitDirOf(directory, project, name)]],
    ),
  );
  const references = new Map(
    manifest.repositories.map(({ project, name }) => [
      `refs/${project}/${name}`,
      gitDirOf(directory, project, name),
    ]),
  );
  let open: Sink | undefined;
  let files = 0;

  const end = async () => {
    const ending = open;
    open = undefined;
    await ending?.end();
  };

  function sinkOf(group: string): Sink | undefined {
    if (group.startsWith('objects-')) {
      const gitDir = packs.get(group);
      // What an attempt has left that was made again.
      return gitDir === undefined ? undefined : packSink(group, gitDir);
    }
    return tableSink(group, tables.get(group) ?? refuse(group));
  }

  return {
    end,
    onEntry: async (name, bytes) => {
      const group = groupOf(name);
      if (open?.group !== group) {
        await end();
        onStep({ what: 'write', which: group.replace(/\/.*/, ''), done: files });
      }
      if (name.startsWith('files/')) {
        files += 1;
        const key = name.slice('files/'.length);
        if (missing.has(key)) await drain(bytes);
        else await store.put(key, bytes, Number.MAX_SAFE_INTEGER);
      } else if (name.startsWith('refs/')) {
        const gitDir = references.get(group) ?? refuse(group);
        await beginCopy(gitDir, await textOf(bytes));
      } else {
        open ??= sinkOf(group);
        if (open === undefined) await drain(bytes);
        else await write(open.input, bytes);
      }
    },
  };
}

/** How a table is written, by the group of its pieces. */
function tablesOf({ manifest, loads }: CopyIn) {
  return new Map(
    manifest.databases.flatMap(({ tables }, at) =>
      tables.map((table) => [
        `${folderOf(at)}/${table.name}`,
        () => ({ ...(loads[at] as Load).write(table), expected: table.rows }),
      ]),
    ),
  );
}

type OpenTable = () => ReturnType<Load['write']> & { expected: number };

function tableSink(group: string, openTable: OpenTable): Sink {
  const { bytes, rows, expected } = openTable();
  const gunzip = createGunzip();
  gunzip.on('error', (error) => bytes.destroy(error));
  bytes.on('error', (error) => gunzip.destroy(error));
  gunzip.pipe(bytes);
  return {
    group,
    input: gunzip,
    end: async () => {
      const done = finished(bytes, { readable: false });
      gunzip.end();
      await done;
      if (rows() !== expected)
        throw new BadArchive(`${group} has ${rows()} rows, and should have ${expected}.`);
    },
  };
}

function packSink(group: string, gitDir: string): Sink {
  const git = receivePack(gitDir);
  git.stdout.resume();
  git.done.catch(() => git.stdin.destroy());
  return {
    group,
    input: git.stdin,
    end: async () => {
      git.stdin.end();
      await git.done;
    },
  };
}

function refuse(group: string): never {
  throw new BadArchive(`This backup has ${group}, of which its manifest knows nothing.`);
}

async function write(input: Writable, bytes: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of bytes) {
    if (input.destroyed) break;
    if (!input.write(chunk)) await drainedOrClosed(input);
  }
  // Its end says why it is closed.
}

async function drainedOrClosed(input: Writable): Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  await Promise.race([once(input, 'drain', { signal }), once(input, 'close', { signal })]);
  // No listener stays.
  stop.abort();
}

async function drain(bytes: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of bytes);
}

async function textOf(bytes: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}
