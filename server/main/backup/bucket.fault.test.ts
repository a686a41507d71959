import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { readConfig } from '../../platform/config/config.ts';
import { openFileStore } from '../../platform/files/open-file-store.ts';
import { archiveIn, emptyPlace, placeInUse, type Settings } from '../../testing/fixtures/backup.ts';
import { startS3 } from '../../testing/fixtures/tasks/file-stores.ts';
import { runCommand } from '../../testing/processes/command.ts';

/** Backup and restore with the files in a bucket. */

const s3 = await startS3();
const skip = s3 === undefined ? 'versitygw is not in the PATH' : false;
const DYING = join(import.meta.dirname, '../../testing/processes/dying-backup.ts');
const place = (prefix: string): string => {
  const { endpoint = '', bucket } = s3?.place('') ?? {};
  return `s3://${bucket}/${prefix}?${new URLSearchParams({ endpoint })}`;
};
const credentials = () => ({
  AWS_ACCESS_KEY_ID: process.env.AWS_ACCESS_KEY_ID ?? '',
  AWS_SECRET_ACCESS_KEY: process.env.AWS_SECRET_ACCESS_KEY ?? '',
});

const guildhall = (args: string[], settings: Settings) =>
  runCommand(args, { env: { ...settings, ...credentials() } });

/** The kinds of steps of a restore, or undefined if it was killed before one of a kind. */
async function restore(file: string, settings: Settings, dieBefore = '') {
  const child = spawn(process.execPath, [DYING, 'restore', file, dieBefore], {
    env: { PATH: process.env.PATH, ...settings, ...credentials() },
  });
  const [out, err, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (signal === 'SIGKILL') return undefined;
  assert.equal(code, 0, err);
  return JSON.parse(out) as string[];
}

/** All bytes in a place, by key. */
async function bytesIn(settings: Settings): Promise<Map<string, Buffer>> {
  const config = readConfig({ ...settings });
  const store = await openFileStore(config.files.folder, config.files.s3);
  const found = new Map<string, Buffer>();
  try {
    for await (const page of store.list())
      for (const { key } of page) found.set(key, Buffer.alloc(0));
    for (const key of found.keys()) {
      const { size } = SIZES.get(key) ?? { size: 0 };
      found.set(key, size === 0 ? Buffer.alloc(0) : await buffer(store.get(key, 0, size - 1)));
    }
  } finally {
    await store.close();
  }
  return found;
}
const SIZES = new Map<string, { size: number }>();

test('files of a bucket are in the archive, and are restored to another place, however often that is killed', {
  skip,
}, async () => {
  const source = await placeInUse({ FILES_URL: place('in-use/') });
  const rows = await source.db.many<{ key: string; size: bigint }>(sql`
    select storage_key as key, size::bigint from attachment
    union all select storage_key, size::bigint from artifact`);
  for (const { key, size } of rows) SIZES.set(key, { size: Number(size) });
  const before = await bytesIn(source.settings);
  assert.ok([...before.values()].some(({ length }) => length === 300_000));

  const file = await archiveIn();
  const made = await guildhall(['backup', file], source.settings);
  assert.equal(made.code, 0, made.err);

  const kinds = await restore(file, { ...(await emptyPlace()), FILES_URL: place('first/') });
  assert.ok(kinds?.some((kind) => kind.startsWith('write ')));
  const to = { ...(await emptyPlace()), FILES_URL: place('second/') };
  for (const kind of kinds ?? []) {
    if (kind === 'end') break;
    assert.equal(await restore(file, to, kind), undefined, kind);
  }
  const elsewhere = await guildhall(['restore', file], { ...to, FILES_URL: place('third/') });
  assert.equal(elsewhere.code, 1);
  assert.match(elsewhere.err, /half restored, with another/);
  const { code, err } = await guildhall(['restore', file], to);
  assert.equal(code, 0, err);
  assert.deepEqual(await bytesIn(to), before);
  assert.deepEqual(await bytesIn(source.settings), before);
  assert.equal((await bytesIn({ ...to, FILES_URL: place('third/') })).size, 0);

  const full = await guildhall(['restore', file], {
    ...(await emptyPlace()),
    FILES_URL: place('second/'),
  });
  assert.equal(full.code, 1);
  assert.match(full.err, /FILES_URL must lead to an empty place/);
  assert.deepEqual(await bytesIn(to), before);
});
