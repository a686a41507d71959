import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { startS3, temporaryFolder } from '../../testing/fixtures/tasks/file-stores.ts';
import { diskStore } from './disk-store.ts';
import { type FileStore, FileTooLarge, HEAD_BYTES, type StoredObject } from './file-store.ts';
import { openFileStore } from './open-file-store.ts';

// What every store promises, on a real one of each kind.

const MIB = 1024 * 1024;
const newKey = (project = randomUUID()) => `${project}/${randomUUID()}`;

async function* inChunks(bytes: Buffer, size = 10_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) {
    await setImmediate();
    yield bytes.subarray(at, at + size);
  }
}

async function listed(store: FileStore): Promise<StoredObject[]> {
  const all: StoredObject[] = [];
  for await (const page of store.list()) all.push(...page);
  return all;
}

const keysOf = async (store: FileStore) => (await listed(store)).map(({ key }) => key);

function keepsItsPromises(open: () => Promise<FileStore>) {
  test('bytes come back as they were, whole and in any range, with their size and hash', async () => {
    const store = await open();
    const bytes = randomBytes(700_001);
    const key = newKey();
    const stored = await store.put(key, inChunks(bytes), bytes.length);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    assert.deepEqual([stored.size, stored.sha256], [bytes.length, sha256]);
    assert.deepEqual(stored.head, bytes.subarray(0, HEAD_BYTES));
    assert.deepEqual(await buffer(store.get(key, 0, bytes.length - 1)), bytes);
    const at = fc.nat({ max: bytes.length - 1 });
    await fc.assert(
      fc.asyncProperty(at, at, async (a, b) => {
        const [start, end] = a < b ? [a, b] : [b, a];
        const part = await buffer(store.get(key, start, end));
        assert.ok(part.equals(bytes.subarray(start, end + 1)), `${start}-${end}`);
      }),
      { numRuns: 25 },
    );
  });

  test('a file may be empty', async () => {
    const store = await open();
    const key = newKey();
    const { size, head } = await store.put(key, inChunks(Buffer.alloc(0)), 10);
    assert.deepEqual([size, head.length], [0, 0]);
    assert.deepEqual(await keysOf(store), [key]);
  });

  test('one byte more than the limit is refused, and nothing of it is listed', async () => {
    const store = await open();
    const bytes = randomBytes(MIB + 1);
    await assert.rejects(store.put(newKey(), inChunks(bytes), MIB), FileTooLarge);
    await store.put(newKey(), inChunks(bytes), MIB + 1);
    assert.equal((await keysOf(store)).length, 1);
  });

  test('a sender that fails leaves nothing, and its error is the one that is thrown', async () => {
    const store = await open();
    const cut = async function* () {
      yield randomBytes(100_000);
      throw new Error('the sender went away');
    };
    await assert.rejects(store.put(newKey(), cut(), MIB), /the sender went away/);
    assert.deepEqual(await keysOf(store), []);
  });

  test('all keys are listed in the order of their bytes, each with the time of its upload', async () => {
    const store = await open();
    const project = randomUUID();
    const keys = [newKey(project), newKey(project), newKey(), newKey()].sort();
    const before = Date.now();
    for (const key of keys.toReversed()) await store.put(key, inChunks(Buffer.from('x')), 1);
    assert.deepEqual(await keysOf(store), keys);
    for (const { storedAt } of await listed(store)) {
      const late = storedAt.getTime() - before;
      assert.ok(late > -2_000 && late < 60_000, `${late} ms`);
    }
  });

  test('deleted bytes are gone; deleting them again, or what never was, is no error', async () => {
    const store = await open();
    const [gone, kept] = [newKey(), newKey()];
    for (const key of [gone, kept]) await store.put(key, inChunks(Buffer.from('abc')), 3);
    await store.delete([gone, newKey()]);
    await store.delete([gone]);
    await store.delete([]);
    assert.deepEqual(await keysOf(store), [kept]);
    await assert.rejects(buffer(store.get(gone, 0, 2)), { name: 'FileMissing' });
  });

  test('a range that ends after the last byte fails, because its row was wrong', async () => {
    const store = await open();
    const key = newKey();
    await store.put(key, inChunks(Buffer.from('abc')), 3);
    await assert.rejects(buffer(store.get(key, 0, 3)), { name: 'FileMissing' });
  });

  test('what is no key is refused before anything is touched, whatever path it would be', async () => {
    const store = await open();
    for (const key of [
      '../x',
      `${randomUUID()}/../../x`,
      '/etc/passwd',
      'a',
      `${newKey()}/x`,
      '',
    ]) {
      await assert.rejects(store.put(key, inChunks(Buffer.from('x')), 1), /not a key/);
      await assert.rejects(store.delete([key]), /not a key/);
      await assert.rejects(async () => buffer(store.get(key, 0, 0)), /not a key/);
    }
    assert.deepEqual(await keysOf(store), []);
  });

  test('twenty files are stored and read at once', async () => {
    const store = await open();
    const files = Array.from({ length: 20 }, () => ({
      key: newKey(),
      bytes: randomBytes(300_000),
    }));
    await Promise.all(files.map(({ key, bytes }) => store.put(key, inChunks(bytes), MIB)));
    const read = await Promise.all(
      files.map(({ key, bytes }) => buffer(store.get(key, 0, bytes.length - 1))),
    );
    assert.ok(files.every(({ bytes }, i) => read[i]?.equals(bytes)));
  });
}

describe('on disk', () => {
  keepsItsPromises(async () => diskStore(await temporaryFolder()));

  test('where its volume is away from the start, nothing is stored or missing until it is back', async () => {
    const folder = join(await temporaryFolder(), 'files');
    const [key, other] = [newKey(), newKey()];
    const bytes = () => inChunks(Buffer.from('x'));
    let rows = false;
    const opened = () => diskStore(folder, async () => rows);
    await opened().put(key, bytes(), 1);
    rows = true;
    for (const there of ['nothing', 'lost+found']) {
      await rename(folder, `${folder}.away`);
      if (there !== 'nothing') await mkdir(join(folder, there), { recursive: true });
      const store = opened();
      const unavailable = { name: 'FileStoreUnavailable', message: /see to its volume/ };
      await assert.rejects(store.put(other, bytes(), 1), unavailable);
      await assert.rejects(buffer(store.get(key, 0, 0)), unavailable);
      await assert.rejects(store.delete([key]), unavailable);
      await assert.rejects(keysOf(store), unavailable);
      const left = await readdir(folder).catch(() => ['nothing']);
      assert.deepEqual(left, [there]);
      await rm(folder, { recursive: true, force: true });
      await rename(`${folder}.away`, folder);
      assert.deepEqual(await keysOf(store), [key]);
      assert.deepEqual(await buffer(store.get(key, 0, 0)), Buffer.from('x'));
    }
    await rm(join(folder, 'guildhall-id'));
    await opened().put(other, bytes(), 1);
    assert.deepEqual(await keysOf(opened()), [key, other].sort(), 'as a release before left it');
  });

  test('where its volume goes away, nothing is stored or missing until it is back', async () => {
    const folder = join(await temporaryFolder(), 'files');
    const [key, other] = [newKey(), newKey()];
    const first = diskStore(folder);
    await first.put(key, inChunks(Buffer.from('x')), 1);
    for (const store of [first, diskStore(folder)]) {
      assert.deepEqual(await keysOf(store), [key]);
      await rename(folder, `${folder}.away`);
      await mkdir(folder);
      const unavailable = { name: 'FileStoreUnavailable', message: /see to its volume/ };
      await assert.rejects(store.put(other, inChunks(Buffer.from('y')), 1), unavailable);
      await assert.rejects(buffer(store.get(key, 0, 0)), unavailable);
      await assert.rejects(store.delete([key]), unavailable);
      await assert.rejects(keysOf(store), unavailable);
      assert.deepEqual(await readdir(folder), []);
      await rmdir(folder);
      await rename(`${folder}.away`, folder);
      assert.deepEqual(await buffer(store.get(key, 0, 0)), Buffer.from('x'));
    }
    await first.put(other, inChunks(Buffer.from('y')), 1);
    assert.deepEqual(await keysOf(diskStore(folder)), [key, other].sort());
  });

  test('race: of several that store the first file, all use the same folder', async () => {
    const folder = await temporaryFolder();
    const stores = Array.from({ length: 5 }, () => diskStore(folder));
    for (let round = 0; round < 2; round++)
      await Promise.all(stores.map((store) => store.put(newKey(), inChunks(Buffer.from('x')), 1)));
    assert.equal((await keysOf(stores[0] as FileStore)).length, 10);
  });
});

const s3 = await startS3();
const skip = s3 === undefined && 'versitygw is not in the PATH';

describe(`in a bucket (${s3?.name ?? 'S3'})`, { skip }, () => {
  keepsItsPromises(async () => openFileStore('', s3?.place(`${randomUUID()}/`)));

  test('prefixes keep the files of several installations apart', async () => {
    const [one, other] = [
      await openFileStore('', s3?.place('one/')),
      await openFileStore('', s3?.place('other/')),
    ];
    await one.put(newKey(), inChunks(Buffer.from('x')), 1);
    assert.deepEqual([(await keysOf(one)).length, (await keysOf(other)).length], [1, 0]);
  });

  test('more keys than one answer lists, and more than one request deletes', async () => {
    const store = await openFileStore('', s3?.place(`${randomUUID()}/`));
    const keys = Array.from({ length: 1_050 }, () => newKey(randomUUID())).sort();
    for (let at = 0; at < keys.length; at += 50)
      await Promise.all(
        keys.slice(at, at + 50).map((key) => store.put(key, inChunks(Buffer.from('x')), 1)),
      );
    assert.deepEqual(await keysOf(store), keys);
    await store.delete(keys);
    assert.deepEqual(await keysOf(store), []);
  });

  test('a store that does not answer any more is an error that says so', async () => {
    const store = await openFileStore('', s3?.place(`${randomUUID()}/`));
    const key = newKey();
    await store.put(key, inChunks(Buffer.from('x')), 1);
    await s3?.kill();
    const unavailable = { name: 'FileStoreUnavailable' };
    await assert.rejects(store.put(newKey(), inChunks(Buffer.from('x')), 1), unavailable);
    await assert.rejects(buffer(store.get(key, 0, 0)), unavailable);
    await assert.rejects(store.delete([key]), unavailable);
    await assert.rejects(keysOf(store), unavailable);
  });
});
