import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pack } from 'tar-stream';
import { temporaryFolder } from '../../testing/fixtures/tasks/file-stores.ts';
import { readManifest } from './manifest.ts';
import { TRAILER_BYTES } from './names.ts';
import { BadArchive, readArchive } from './read-archive.ts';
import { beginArchive } from './write-archive.ts';

const folder = await temporaryFolder(after);
const ID = '00000000-0000-4000-8000-00000000000';

async function* of(...chunks: (string | Buffer)[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

async function write(name: string, work: (archive: Archive) => Promise<void>): Promise<string> {
  const path = join(folder, name);
  const file = await open(path, 'wx', 0o600);
  const archive = await beginArchive(file, { format: 1 });
  await work(archive);
  await archive.end({ said: 'all' });
  await file.close();
  return path;
}
type Archive = Awaited<ReturnType<typeof beginArchive>>;

async function read(path: string) {
  const file = await open(path);
  const entries: [string, number][] = [];
  try {
    const manifest = await readArchive(file, {
      onHeader: () => {},
      onEntry: async (name, bytes) => {
        let size = 0;
        for await (const chunk of bytes) size += chunk.length;
        entries.push([name, size]);
      },
    });
    return { manifest: manifest as { said: string; checksums: unknown[] }, entries };
  } finally {
    await file.close();
  }
}

const small = () =>
  write(`small-${Math.random()}`, async (archive) => {
    await archive.file(`files/${ID}1/${ID}2`, 5, of('he', 'llo'));
    assert.equal(await archive.pieces('database/task', of('rows')), 1);
  });

test('what was written is read, in its order: files, and streams in pieces', async () => {
  const mib = Buffer.alloc(1024 * 1024, 7);
  const path = await write('whole', async (archive) => {
    await archive.file(`files/${ID}1/${ID}2`, 5, of('he', 'llo'));
    await archive.file(`files/${ID}1/${ID}3`, 0, of());
    assert.equal(await archive.pieces('database/task', of(...Array(10).fill(mib))), 3);
    assert.equal(await archive.pieces('database/plan', of()), 0);
    for (let i = 0; i < 2_100; i++) await archive.pieces(`objects-1/${ID}1/r${i}`, of('x'));
  });
  const { manifest, entries } = await read(path);
  assert.equal(manifest.said, 'all');
  assert.equal(manifest.checksums.length, 3);
  assert.deepEqual(entries.slice(0, 5), [
    [`files/${ID}1/${ID}2`, 5],
    [`files/${ID}1/${ID}3`, 0],
    ['database/task/000001', 4 * 1024 * 1024],
    ['database/task/000002', 4 * 1024 * 1024],
    ['database/task/000003', 2 * 1024 * 1024],
  ]);
  assert.equal(entries.length, 2_105);
});

test('flipped bits, cuts and additions are refused', async () => {
  const path = await small();
  const whole = await readFile(path);
  const bad = join(folder, 'bad');
  const refused = async (bytes: Buffer, what: string) => {
    await writeFile(bad, bytes);
    await assert.rejects(read(bad), BadArchive, what);
  };
  for (let at = 0; at < whole.length; at += 37) {
    const flipped = Buffer.from(whole);
    flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
    await refused(flipped, `a bit of byte ${at}`);
  }
  for (let size = 0; size < whole.length; size += 487)
    await refused(whole.subarray(0, size), `cut to ${size}`);
  await refused(whole.subarray(0, whole.length - 1), 'the last byte');
  await refused(whole.subarray(0, whole.length - TRAILER_BYTES), 'the trailer');
  await refused(Buffer.concat([whole, Buffer.from('x')]), 'a byte more');
  await refused(Buffer.concat([whole, whole]), 'twice');
  await refused(Buffer.from('notes of someone'.repeat(100)), 'another file');
  await writeFile(bad, whole);
  await read(bad);
});

test('foreign entries are refused: links, folders, other paths, and what is not in the manifest', async () => {
  const { createHash } = await import('node:crypto');
  const { trailerOf } = await import('./names.ts');
  const made = async (headers: Parameters<ReturnType<typeof pack>['entry']>[0][]) => {
    const tar = pack();
    for (const header of [{ name: 'guildhall-backup.json' }, ...headers])
      tar.entry(header, header.type ? '' : '{}');
    tar.finalize();
    const chunks: Buffer[] = [];
    for await (const chunk of tar as AsyncIterable<Buffer>) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const path = join(folder, 'foreign');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await writeFile(path, Buffer.concat([bytes, trailerOf(sha256)]));
    return path;
  };
  for (const header of [
    { name: '../../etc/passwd' },
    { name: '/etc/passwd' },
    { name: `files/${ID}1/../${ID}2` },
    { name: `objects-1/${ID}1/../000001` },
    { name: `objects-1/${ID}1/a..b/000001` },
    { name: `files/${ID}1/${ID}2`, type: 'symlink' as const, linkname: '/etc/passwd' },
    { name: `files/${ID}1/${ID}2`, type: 'link' as const, linkname: '/etc/passwd' },
    { name: `files/${ID}1`, type: 'directory' as const },
    { name: `files/${ID}1/${ID}2`, type: 'character-device' as const },
    { name: 'manifest.json' },
    { name: 'guildhall-backup.json' },
    { name: `files/${ID}1/${ID}2` },
  ])
    await assert.rejects(
      async () => read(await made([header])),
      BadArchive,
      JSON.stringify(header),
    );
});

test('a stream of another size than was said, and a failing one, end the archive', async () => {
  const path = join(folder, 'sizes');
  for (const chunks of [['four'], ['sixsix']]) {
    const file = await open(path, 'w', 0o600);
    const archive = await beginArchive(file, { format: 1 });
    await assert.rejects(archive.file(`files/${ID}1/${ID}2`, 5, of(...chunks)), /size/);
    archive.abandon();
    await file.close();
  }
  await rm(path);
  await assert.rejects(stat(path));
});

test('a disk that is full while an archive is written is said to be full', {
  skip: !existsSync('/dev/full') && 'this machine has no /dev/full',
}, async () => {
  const file = await open('/dev/full', 'w');
  const mib = Buffer.alloc(1024 * 1024);
  await assert.rejects(
    async () => {
      const archive = await beginArchive(file, { format: 1 });
      await archive.pieces('database/task', of(...Array(20).fill(mib)));
    },
    { code: 'ENOSPC' },
  );
  await file.close();
});

test('a manifest whose names would lead elsewhere is not valid', () => {
  const valid = {
    format: 1,
    id: `${ID}1`,
    version: '1',
    created_at: 'now',
    server_secret: { key_id: null },
    folder_id: null,
    databases: [{ migrations: [], tables: [] }],
    files: { count: 0, bytes: 0, missing: [] },
    repositories: [{ project: `${ID}1`, name: 'main', pack: null, pieces: 0 }],
  };
  assert.equal(readManifest(valid), valid);
  for (const wrong of [
    { project: '../../etc' },
    { name: 'a/../../b' },
    { name: 'a..b' },
    { name: '' },
  ])
    assert.throws(
      () => readManifest({ ...valid, repositories: [{ ...valid.repositories[0], ...wrong }] }),
      BadArchive,
      JSON.stringify(wrong),
    );
});
