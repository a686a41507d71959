import { pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import { packOf, referencesOf, refuseLinks } from '../../code/index.ts';
import type { Snapshot } from '../../db/copy/copy-out.ts';
import type { Manifest } from '../../platform/archive/manifest.ts';
import { pieceOf } from '../../platform/archive/names.ts';
import type { Archive } from '../../platform/archive/write-archive.ts';
import { FileMissing, type FileStore } from '../../platform/files/file-store.ts';
import type { OnStep } from './progress.ts';
import type { Repository } from './repositories.ts';

/** The parts of an archive, as a backup writes them. */

/** Of a zlib that costs less time than the disk of most machines. */
const COMPRESSION = { level: 3 };
const ATTEMPTS = 3;
const LISTED_MISSING = 1_000;
const ZEROS = Buffer.alloc(64 * 1024);

interface CopyOut {
  archive: Archive;
  onStep: OnStep;
}

/** What all branches lead to, as soon as the snapshot is there. */
export async function copyReferences(
  { archive, onStep }: CopyOut,
  repositories: readonly Repository[],
): Promise<void> {
  for (const [at, { project, name, gitDir }] of repositories.entries()) {
    onStep({ what: 'branches', which: `${project}/${name}`, done: at, of: repositories.length });
    await refuseLinks(gitDir);
    const bytes = Buffer.from(await referencesOf(gitDir), 'latin1');
    await archive.file(pieceOf(`refs/${project}/${name}`, 1), bytes.length, one(bytes));
  }
}

/** All tables. `at`: 0 for the main database, then one of those with events. */
export async function copyDatabase(
  { archive, onStep }: CopyOut,
  { migrations, tables, read }: Snapshot,
  at: number,
): Promise<Manifest['databases'][number]> {
  const copied: Manifest['databases'][number]['tables'] = [];
  for (const [done, table] of tables.entries()) {
    onStep({
      what: folderOf(at),
      which: table.name,
      done,
      of: tables.length,
      bytes: archive.written(),
    });
    const { bytes, rows } = read(table);
    // A failure of either ends the other, and is thrown by whoever reads.
    const packed = pipeline(bytes, createGzip(COMPRESSION), () => {});
    const pieces = await archive.pieces(`${folderOf(at)}/${table.name}`, packed);
    copied.push({ ...table, rows: rows(), pieces });
  }
  return { migrations, tables: copied };
}

export const folderOf = (at: number): string => (at === 0 ? 'database' : 'events');

interface StoredFile {
  key: string;
  size: string | number;
  sha256: string;
}

/** An older schema has no dumps. */
const filesOf = ({ migrations }: Pick<Snapshot, 'migrations'>): string => `
  select storage_key as key, size, sha256 from attachment
  union all
  select storage_key, size, sha256 from artifact
  ${
    migrations.some(({ name }) => name === '0042-odoo-dumps.sql')
      ? 'union all select storage_key, size, sha256 from odoo_dump'
      : ''
  }
  order by key`;

/**
 * The bytes of all files, compared with their rows. Throws an Error for one that the store has lost or
 * damaged, unless that is allowed; zeros then stand for what is missing.
 */
export async function copyFiles(
  { archive, onStep }: CopyOut,
  main: Pick<Snapshot, 'pages' | 'migrations'>,
  { store, allowMissing }: { store: FileStore; allowMissing: boolean },
): Promise<Manifest['files']> {
  const copied = { count: 0, bytes: 0, missing: [] as string[] };
  const lacks = (key: string) => {
    if (!allowMissing || copied.missing.length === LISTED_MISSING)
      throw new Error(
        `The bytes of the file ${key} in ${store.place} are missing or damaged. Restore them, or leave ` +
          'out such files with --allow-missing.',
      );
    if (copied.missing.at(-1) !== key) copied.missing.push(key);
  };
  for await (const page of main.pages<StoredFile>(filesOf(main)))
    for (const { key, size: text, sha256 } of page) {
      const size = Number(text);
      onStep({ what: 'files', done: copied.count, bytes: archive.written() });
      const bytes = bytesOf(store, { key, size }, lacks);
      if ((await archive.file(`files/${key}`, size, bytes)) !== sha256) lacks(key);
      copied.count += 1;
      copied.bytes += size;
    }
  return copied;
}

async function* bytesOf(
  store: FileStore,
  { key, size }: { key: string; size: number },
  lacks: (key: string) => void,
): AsyncGenerator<Uint8Array> {
  let left = size;
  try {
    for await (const chunk of store.get(key, 0, size - 1)) {
      left -= chunk.length;
      yield chunk;
    }
  } catch (error) {
    if (!(error instanceof FileMissing)) throw error;
    lacks(key);
    for (; left > 0; left -= ZEROS.length) yield ZEROS.subarray(0, Math.min(left, ZEROS.length));
  }
}

/**
 * The objects of all repositories. A git that begins to pack just before the backup may remove some
 * that nothing leads to: what was written then is left behind, and the repository read again.
 */
export async function copyObjects(
  { archive, onStep }: CopyOut,
  repositories: readonly Repository[],
): Promise<Manifest['repositories']> {
  const copied: Manifest['repositories'] = [];
  for (const [done, { project, name, gitDir }] of repositories.entries()) {
    const step = {
      what: 'repositories',
      which: `${project}/${name}`,
      done,
      of: repositories.length,
    };
    const read = async function* () {
      for await (const chunk of packOf(gitDir)) {
        onStep({ ...step, bytes: archive.written() });
        yield chunk;
      }
    };
    for (let attempt = 1; ; attempt++) {
      const pack = `objects-${attempt}/${project}/${name}`;
      try {
        copied.push({ project, name, pack, pieces: await archive.pieces(pack, read()) });
        break;
      } catch (error) {
        if (attempt === ATTEMPTS || !String(error).startsWith('Error: git ')) throw error;
      }
    }
  }
  return copied;
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
