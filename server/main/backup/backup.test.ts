import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmod,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { gitDirOf } from '../../code/repositories/git.ts';
import { lockForBackup } from '../../db/backup-lock.ts';
import { tablesOf } from '../../db/copy/tables.ts';
import { dumpSchema } from '../../db/dump-schema.ts';
import { beginRestore } from '../../db/migrate/half-restored.ts';
import { migrate } from '../../db/migrate.ts';
import { sql } from '../../db/sql.ts';
import { readConfig } from '../../platform/config/config.ts';
import { removeDeleted } from '../../platform/files/remove-deleted.ts';
import { archiveIn, emptyPlace, placeInUse, type Settings } from '../../testing/fixtures/backup.ts';
import { git } from '../../testing/fixtures/code/git-client.ts';
import { temporaryFolder } from '../../testing/fixtures/tasks/file-stores.ts';
import { attach } from '../../testing/fixtures/tasks/stored-files.ts';
import { until } from '../../testing/harness/until.ts';
import { backup } from './backup.ts';
import {
  readMarker,
  refuseHalfRestored,
  removeMarker,
  writeFirstMarker,
  writeMarker,
} from './marker.ts';
import { clearPlace, placesOf } from './place.ts';
import type { Step } from './progress.ts';
import { restore } from './restore.ts';

const place = await placeInUse();
const { config, db, project, gitDir, left } = place;
const onStep = () => {};
const OTHER_SECRET = 'another secret, long enough for a server';
const archive = await archiveIn();

const write = (file: string, options: Partial<Parameters<typeof backup>[1]> = {}) =>
  backup(config, {
    file,
    overwrite: false,
    includeSecret: false,
    allowMissing: false,
    onStep,
    ...options,
  });

const read = (settings: Partial<Settings>, file = archive, acceptOtherSecret = false) =>
  restore(readConfig({ ...settings }), { file, acceptOtherSecret, onStep });

/** What differs once any row of a place differs, and its files. */
async function all({ DATABASE_URL, DATA_DIR }: Settings) {
  const client = new pg.Client(DATABASE_URL);
  await client.connect();
  const tables = (await tablesOf(client)).filter(({ name }) => !CHANGED.includes(name));
  const digests = tables.map(
    ({ name }) =>
      `select '${name}' as name, count(*)::int || ' ' ||
              coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as rows from "${name}" t`,
  );
  const { rows } = await client.query(digests.join(' union all '));
  await client.end();
  const files = (await readdir(join(DATA_DIR, 'files'), { recursive: true })).sort();
  return { rows: new Map(rows.map((row) => [row.name, row.rows])), files };
}

/** Both commands are recorded, and a restore says where the folder of repositories is now. */
const CHANGED = ['audit_event', 'repository_folder'];

const tablesIn = async (url: string): Promise<number> => {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(
    "select from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
  );
  await client.end();
  return rows.length;
};

/** A refusal leaves an empty place empty. */
async function refused(settings: Omit<Settings, 'SERVER_SECRET'>, why: RegExp, file?: string) {
  const before = await readdir(settings.DATA_DIR).catch(() => undefined);
  const tables = await tablesIn(settings.DATABASE_URL);
  await assert.rejects(read(settings, file), why);
  assert.deepEqual(await readdir(settings.DATA_DIR).catch(() => undefined), before);
  assert.equal(await tablesIn(settings.DATABASE_URL), tables);
}

test('a restore has every row, constraint, trigger, right, file, branch and commit, also one that nothing leads to', async () => {
  const { manifest, bytes } = await write(archive);
  assert.equal((await stat(archive)).size, bytes);
  assert.equal((await stat(archive)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(dirname(archive)), [basename(archive)]);
  assert.equal(manifest.repositories.length, 1);
  assert.equal((await readFile(archive)).includes(place.settings.SERVER_SECRET), false);

  const to = await emptyPlace();
  const { found } = await read(to);
  assert.deepEqual(found?.ledger.violations, []);
  assert.deepEqual(found?.repositories, []);
  assert.deepEqual(await all(to), await all(place.settings));
  assert.equal(await dumpSchema(to.DATABASE_URL), await dumpSchema(place.settings.DATABASE_URL));
  const copy = gitDirOf(join(to.DATA_DIR, 'repositories'), project);
  for (const asked of [['for-each-ref'], ['cat-file', '-p', left], ['symbolic-ref', 'HEAD']])
    assert.equal(await git(copy, ...asked), await git(gitDir, ...asked));
  assert.deepEqual(await readdir(join(to.DATA_DIR)), ['files', 'repositories']);
  assert.equal(
    await readFile(join(to.DATA_DIR, 'repositories/guildhall-id'), 'utf8'),
    await readFile(join(place.settings.DATA_DIR, 'repositories/guildhall-id'), 'utf8'),
  );
  assert.deepEqual((await migrate(to.DATABASE_URL)).applied, []);
});

test('of two restores into one place at once, one writes, and nothing of it is lost', async () => {
  const to = await emptyPlace();
  const both = await Promise.allSettled([read(to), read(to)]);
  const refusals = both.flatMap((one) => (one.status === 'rejected' ? [one.reason.message] : []));
  assert.equal(refusals.length, 1, refusals.join());
  assert.match(refusals[0], /Another restore (writes this database|has begun)|must be an empty/);
  assert.deepEqual(await all(to), await all(place.settings));
  assert.ok(!(await readdir(join(to.DATA_DIR, 'repositories'))).includes('restore-unfinished'));
});

test('rows, files and branches that come and go during a backup: it has all that its rows name', async () => {
  const file = await archiveIn();
  let busy = Promise.resolve();
  const changed: string[] = [];
  const onEach = ({ what, which }: Step) => {
    if (what !== 'database' || which !== 'app_user') return;
    busy = busy.then(async () => {
      const owner = await place.fixtures.user();
      const id = await attach(place, { project, by: owner });
      changed.push(id);
      await db.many(sql`delete from attachment where task_id = ${place.task}`);
      await removeDeleted(db, place.files);
      await git(gitDir, 'update-ref', '-d', 'refs/heads/task/12345678');
    });
  };
  const before = await all(place.settings);
  await write(file, { onStep: onEach, includeSecret: true });
  await busy;
  assert.equal(changed.length, 1);

  const { SERVER_SECRET, ...to } = await emptyPlace();
  // A new volume has this.
  await mkdir(join(to.DATA_DIR, 'lost+found'));
  await read(to, file);
  const restored = await all({ ...to, SERVER_SECRET });
  assert.deepEqual(restored, before);
  const copy = gitDirOf(join(to.DATA_DIR, 'repositories'), project);
  assert.match(await git(copy, 'for-each-ref'), /task\/12345678/);
  // The archive had the secret, and this place had none.
  const kept = join(to.DATA_DIR, 'server-secret');
  assert.equal((await readFile(kept, 'utf8')).trim(), SERVER_SECRET);
  assert.equal((await stat(kept)).mode & 0o777, 0o600);
  // Afterwards, what was deleted goes.
  assert.equal(await removeDeleted(db, place.files), 1);
});

test('while a backup has its lock, no bytes are removed', async () => {
  const lock = await lockForBackup(place.settings.DATABASE_URL);
  const id = await attach(place, { project, by: place.owner });
  await db.many(sql`delete from attachment where id = ${id}`);
  assert.equal(await removeDeleted(db, place.files), 0);
  await lock.check();
  await lock.close();
  assert.equal(await removeDeleted(db, place.files), 1);
});

test('a file that is there is not replaced unless that is asked for; what a killed backup has left is', async () => {
  const file = await archiveIn();
  await writeFile(file, 'mine');
  await assert.rejects(write(file), /is there already: choose another name, or add --overwrite/);
  assert.equal(await readFile(file, 'utf8'), 'mine');
  await writeFile(`${file}.part`, 'a download of mine');
  await assert.rejects(write(file, { overwrite: true }), /no backup has left it: move it away/);
  assert.equal(await readFile(`${file}.part`, 'utf8'), 'a download of mine');
  await writeFile(`${file}.part`, 'guildhall-backup.json\0half');
  await write(file, { overwrite: true });
  assert.deepEqual(await readdir(dirname(file)), [basename(file)]);
  const link = `${file}.link`;
  await symlink(file, link);
  await assert.rejects(write(link, { overwrite: true }), /must be the name of a file/);
  await assert.rejects(write(join(file, 'x')), /must be a folder that is there/);
});

test('a backup that fails leaves no file', async () => {
  const file = await archiveIn();
  for (const fatal of ['branches', 'database', 'files', 'repositories', 'manifest', 'name'])
    await assert.rejects(
      write(file, {
        onStep: ({ what }) => {
          if (what === fatal) throw new Error(`no ${fatal}`);
        },
      }),
      new RegExp(`no ${fatal}`),
    );
  assert.deepEqual(await readdir(dirname(file)), []);
});

test('links are not followed, pipes not read, a file whose bytes are gone is named, and so is another SERVER_SECRET; the last two can be accepted', async () => {
  const file = await archiveIn();
  await symlink('/etc', join(gitDir, 'objects/ff'));
  await assert.rejects(write(file), /objects\/ff is a symbolic link/);
  await rm(join(gitDir, 'objects/ff'));
  execFileSync('mkfifo', [join(gitDir, 'packed-refs.new')]);
  await assert.rejects(write(file), /packed-refs\.new is neither a file nor a folder/);
  await rm(join(gitDir, 'packed-refs.new'));
  assert.deepEqual(await readdir(dirname(file)), []);

  const id = await attach(place, { project, by: place.owner });
  const { key } = await db.one<{ key: string }>(sql`
    select storage_key as key from attachment where id = ${id}`);
  await truncate(join(config.files.folder, key), 3);
  await assert.rejects(write(file), new RegExp(`file ${key} in .* are missing or damaged`));
  const { manifest } = await write(file, { allowMissing: true });
  assert.deepEqual(manifest.files.missing, [key]);
  const to = await emptyPlace();
  const other = { ...to, SERVER_SECRET: OTHER_SECRET };
  await refused(other, /SERVER_SECRET must be the one .*: it is another one\./, file);
  const none = { DATABASE_URL: to.DATABASE_URL, DATA_DIR: to.DATA_DIR };
  await refused(none, /SERVER_SECRET must be the one .*: none is set\./, file);
  await read(other, file, true);
  assert.equal((await all(to)).files.includes(key), false);
  await db.many(sql`delete from attachment where id = ${id}`);
});

test('volumes that are mounted in DATA_DIR are written to where they are, and begun anew', async () => {
  const to = await emptyPlace();
  for (const name of ['files', 'pods', 'repositories'])
    await mkdir(join(to.DATA_DIR, name, 'lost+found'), { recursive: true });
  const mounted = async () => [
    (await stat(join(to.DATA_DIR, 'files'))).ino,
    (await stat(join(to.DATA_DIR, 'repositories'))).ino,
  ];
  const before = await mounted();
  const kill = ({ what }: Step) => {
    if (what === 'migrate') throw new Error('killed');
  };
  const config = readConfig({ ...to });
  await assert.rejects(
    restore(config, { file: archive, acceptOtherSecret: false, onStep: kill }),
    /killed/,
  );
  const left = join(to.DATA_DIR, 'repositories', 'left');
  await mkdir(left);
  await read(to);
  assert.deepEqual(await mounted(), before);
  const files = await readdir(join(to.DATA_DIR, 'files'));
  assert.ok(files.includes('lost+found') && files.length > 1);
  assert.deepEqual(
    (await readdir(join(to.DATA_DIR, 'repositories'))).sort(),
    [project, 'guildhall-id', 'lost+found'].sort(),
  );
});

test('what an unfinished restore has left is removed, and nothing that a link leads to', async () => {
  const [to, other] = [await emptyPlace(), (await emptyPlace()).DATA_DIR];
  const mine = join(other, 'notes.txt');
  await writeFile(mine, 'mine');
  await mkdir(join(to.DATA_DIR, 'files', 'left'), { recursive: true });
  await symlink(other, join(to.DATA_DIR, 'repositories'));
  await clearPlace(readConfig({ ...to }));
  assert.equal(await readFile(mine, 'utf8'), 'mine');
  assert.deepEqual((await readdir(to.DATA_DIR, { recursive: true })).sort(), ['files']);
});

test('only an empty place is written to', async () => {
  const to = await emptyPlace();
  await writeFile(join(to.DATA_DIR, 'notes.txt'), 'mine');
  await refused(to, /DATA_DIR must be an empty folder: .* has notes\.txt\. Nothing was changed/);
  const used = await emptyPlace();
  await mkdir(join(used.DATA_DIR, 'repositories', 'mine'), { recursive: true });
  await refused(used, /DATA_DIR must be an empty folder: .* has repositories.mine\. Nothing/);
  const taken = await emptyPlace();
  await writeFile(join(taken.DATA_DIR, 'files'), 'mine');
  await refused(taken, /DATA_DIR must be an empty folder: .* has files\. Nothing was changed/);
  const linked = await emptyPlace();
  await symlink((await emptyPlace()).DATA_DIR, join(linked.DATA_DIR, 'repositories'));
  await refused(linked, /DATA_DIR must be an empty folder: .* has repositories\. Nothing was/);
  for (const target of ['nowhere', 'itself']) {
    const link = { ...linked, DATA_DIR: join(linked.DATA_DIR, 'itself') };
    await symlink(target, link.DATA_DIR);
    await refused(
      link,
      /DATA_DIR must be an empty folder: .* cannot be opened \(E\w+\)\. Nothing was/,
    );
    await rm(link.DATA_DIR);
  }
  const other = await emptyPlace();
  await refused(
    { ...other, DATABASE_URL: place.settings.DATABASE_URL },
    /DATABASE_URL must be an empty database/,
  );
  await refused(other, /cannot be read \(ENOENT\)/, '/nowhere/all.guildhall');
  await refused(other, /is not a file/, '/dev/null');
});

test('what a restore has left is cleared only where it began: not another database', async () => {
  const begun = await emptyPlace();
  const places = placesOf(readConfig({ ...begun }));
  const before = await all(place.settings);
  const repositories = join(begun.DATA_DIR, 'repositories');
  await mkdir(repositories);
  for (const state of ['writing', 'ending'] as const) {
    await writeMarker(repositories, { id: 'of another backup', state, places });
    const elsewhere = { ...begun, DATABASE_URL: place.settings.DATABASE_URL };
    await assert.rejects(read(elsewhere), /half restored, with another DATABASE_URL/, state);
  }
  assert.deepEqual(await all(place.settings), before);
});

test('what a restore has left is no longer its own once the folder of repositories is another one', async () => {
  const to = await emptyPlace();
  const repositories = join(to.DATA_DIR, 'repositories');
  const kill = ({ what }: Step) => {
    if (what === 'migrate') throw new Error('killed');
  };
  await assert.rejects(
    restore(readConfig({ ...to }), { file: archive, acceptOtherSecret: false, onStep: kill }),
    /killed/,
  );
  assert.ok((await readdir(repositories)).includes('restore-unfinished'));
  await rm(repositories, { recursive: true });
  await mkdir(join(repositories, 'mine'), { recursive: true });
  const files = await readdir(join(to.DATA_DIR, 'files'), { recursive: true });
  await refused(to, /DATA_DIR must be an empty folder: .* has .*repositories.mine.*Nothing was/);
  assert.deepEqual(await readdir(repositories), ['mine']);
  assert.deepEqual(await readdir(join(to.DATA_DIR, 'files'), { recursive: true }), files);
});

test('of two restores to one DATA_DIR with databases of their own, one writes, and the other database stays empty', async () => {
  const [to, other] = [await emptyPlace(), await emptyPlace()];
  const mixed = { ...to, DATABASE_URL: other.DATABASE_URL };
  const file = await archiveIn();
  await write(file);
  const both = await Promise.allSettled([read(to, file), read(mixed, file)]);
  const refusals = both.flatMap((one) => (one.status === 'rejected' ? [one.reason.message] : []));
  assert.equal(refusals.length, 1, refusals.join());
  assert.match(
    refusals[0],
    /Another restore has begun|half restored, with another|must be an empty/,
  );
  const [won, lost] = both[0]?.status === 'fulfilled' ? [to, mixed] : [mixed, to];
  // Beside its rows, the place has files by now that no row names.
  assert.deepEqual((await all(won)).rows, (await all(place.settings)).rows);
  assert.equal(await tablesIn(lost.DATABASE_URL), 0);
  assert.deepEqual(
    (await readdir(join(to.DATA_DIR, 'repositories'))).sort(),
    [project, 'guildhall-id'].sort(),
  );
});

test('the first mark of a restore replaces no other, and leaves nothing beside it', async () => {
  const { DATA_DIR } = await emptyPlace();
  const mark = { id: 'of a backup', state: 'ending', places: '' } as const;
  await writeFirstMarker(DATA_DIR, mark);
  await assert.rejects(
    writeFirstMarker(DATA_DIR, { ...mark, id: 'of another one' }),
    /Another restore has begun to write/,
  );
  assert.deepEqual(await readMarker(DATA_DIR), mark);
  assert.deepEqual(await readdir(DATA_DIR), ['restore-unfinished']);
});

test('what has the name of the mark and is none lets nothing start there, and stays', async () => {
  const to = await emptyPlace();
  const repositories = join(to.DATA_DIR, 'repositories');
  const file = join(repositories, 'restore-unfinished');
  await mkdir(repositories);
  const mine = join(to.DATA_DIR, '..', `${basename(to.DATA_DIR)}-mine`);
  await writeFile(mine, 'mine');
  const forms: (() => Promise<unknown>)[] = [
    () => writeFile(file, ''),
    () => writeFile(file, 'null'),
    () => writeFile(file, '{"id":"1","state":"done","places":""}'),
    () => mkdir(file),
    () => symlink('nowhere', file),
    () => symlink(mine, file),
    async () => execFileSync('mkfifo', [file]),
  ];
  for (const make of forms) {
    await make();
    const before = await lstat(file);
    await refused(to, /no restore has written it\. Nothing was changed/);
    await assert.rejects(refuseHalfRestored(readConfig({ ...to })), /no restore has written it/);
    const after = await lstat(file);
    assert.deepEqual([after.ino, after.mtimeMs], [before.ino, before.mtimeMs]);
    await rm(file, { recursive: true });
  }
  assert.equal(await readFile(mine, 'utf8'), 'mine');
  await rm(mine);
});

test('what only begins with the name of the mark is no mark: a restore refuses to write beside it, and removes none', async () => {
  const to = await emptyPlace();
  const repositories = join(to.DATA_DIR, 'repositories');
  const notes = join(repositories, 'restore-unfinished.txt');
  await mkdir(repositories);
  await writeFile(notes, 'mine');
  await refused(to, /DATA_DIR must be an empty folder: .* has .*restore-unfinished\.txt/);
  await removeMarker(repositories);
  assert.equal(await readFile(notes, 'utf8'), 'mine');
});

test('what a restore has left is no longer its own once the folder of files is another one', async () => {
  const to = await emptyPlace();
  const file = await archiveIn();
  await write(file);
  const kill = ({ what }: Step) => {
    if (what === 'migrate') throw new Error('killed');
  };
  await assert.rejects(
    restore(readConfig({ ...to }), { file, acceptOtherSecret: false, onStep: kill }),
    /killed/,
  );
  const [files, kept] = [join(to.DATA_DIR, 'files'), join(to.DATA_DIR, 'kept')];
  const repositories = await readdir(join(to.DATA_DIR, 'repositories'), { recursive: true });
  await rename(files, kept);
  for (const make of [
    () => cp(place.config.files.folder, files, { recursive: true }),
    () => writeFile(files, 'mine'),
    () => symlink(place.config.files.folder, files),
  ]) {
    await make();
    const before = await readdir(files, { recursive: true }).catch(() => readFile(files, 'utf8'));
    await refused(
      to,
      /there is something else in .*files than the restore has written\. Nothing/,
      file,
    );
    assert.deepEqual(
      await readdir(files, { recursive: true }).catch(() => readFile(files, 'utf8')),
      before,
    );
    await rm(files, { recursive: true });
  }
  assert.deepEqual(
    await readdir(join(to.DATA_DIR, 'repositories'), { recursive: true }),
    repositories,
  );
  // A new volume has nothing that could be lost.
  await mkdir(files);
  await rm(kept, { recursive: true });
  await read(to, file);
  assert.deepEqual((await all(to)).rows, (await all(place.settings)).rows);
  assert.ok((await readdir(files)).length > 1);
});

test('of a restore that lacks its last step, another database under its name is neither ended nor cleared', async () => {
  const to = await emptyPlace();
  const used = { ...to, DATABASE_URL: place.settings.DATABASE_URL };
  const repositories = join(to.DATA_DIR, 'repositories');
  await mkdir(repositories);
  const mark = {
    id: 'of another backup',
    state: 'ending',
    places: placesOf(readConfig(used)),
  } as const;
  await writeMarker(repositories, mark);
  const before = await all(place.settings);
  await assert.rejects(read(used), /was restored from another backup/);
  const file = await archiveIn();
  const { id } = (await write(file)).manifest;
  await writeMarker(repositories, { ...mark, id });
  await assert.rejects(read(used, file), /there is another one now\. Nothing was changed/);
  assert.deepEqual(await all(place.settings), before);
  assert.equal((await readMarker(repositories))?.id, id);
});

test('a user who cannot read the repositories is told whose they are to be opened as', async () => {
  const repositories = join(await temporaryFolder(), 'repositories');
  await mkdir(repositories, { mode: 0o700 });
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) await chmod(repositories, 0);
  // Root may read everything, so it is somebody else meanwhile.
  if (isRoot) process.seteuid?.(65_534);
  try {
    await assert.rejects(readMarker(repositories), {
      message: new RegExp(
        `^${repositories} cannot be read by this user \\(EACCES\\): run this as the user of`,
      ),
    });
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});

test('a database that is half restored is not backed up, with whatever DATA_DIR', async () => {
  const to = await emptyPlace();
  const held = await beginRestore(to.DATABASE_URL, { isFreed: async () => false });
  await held.close();
  const file = await archiveIn();
  await assert.rejects(
    backup(readConfig({ ...to }), {
      file,
      overwrite: false,
      includeSecret: false,
      allowMissing: false,
      onStep,
    }),
    /The database is half restored/,
  );
  assert.deepEqual(await readdir(dirname(file)), []);
  assert.equal(await tablesIn(to.DATABASE_URL), 1);
});

test('a restore that waited until another one had ended clears nothing of it', async () => {
  const { DATABASE_URL: url, DATA_DIR } = await emptyPlace();
  await writeMarker(DATA_DIR, { id: 'of a backup', state: 'ending', places: '' });
  const isFreed = async () => (await readMarker(DATA_DIR))?.state === 'ending';
  const first = await beginRestore(url, { isFreed });
  await migrate(url, { restoring: true });
  const tables = await tablesIn(url);
  // The latter where this machine has stood still for longer than it waits.
  const why = /it must be an empty one|Another restore writes this database/;
  const second = assert.rejects(beginRestore(url, { isFreed }), why);
  const waits = async () => {
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query(
      `select from pg_locks where locktype = 'advisory' and not granted and database =
         (select oid from pg_database where datname = current_database())`,
    );
    await client.end();
    return rows.length === 1;
  };
  await until('the second one waits', waits);
  await first.end();
  await removeMarker(DATA_DIR);
  await first.close();
  await second;
  assert.equal(await tablesIn(url), tables);
});

test('a damaged, foreign or newer archive is refused before anything is written', async () => {
  const to = await emptyPlace();
  const bad = await archiveIn();
  const { size } = await stat(archive);
  await cp(archive, bad);
  await truncate(bad, size - 10_000);
  await refused(to, /damaged or incomplete/, bad);
  const bytes = await readFile(archive);
  bytes[Math.floor(size / 2)] = (bytes[Math.floor(size / 2)] as number) ^ 1;
  await writeFile(bad, bytes);
  await refused(to, /damaged or incomplete/, bad);
  await writeFile(bad, 'PK');
  await refused(to, /no backup of Guildhall/, bad);

  const client = new pg.Client(place.settings.DATABASE_URL);
  await client.connect();
  await client.query("insert into schema_migration values ('9999-later.sql', 'x')");
  await write(bad, { overwrite: true });
  await client.query("delete from schema_migration where name = '9999-later.sql'");
  await client.end();
  await refused(to, /newer Guildhall \(.*\), whose database has 9999-later\.sql/, bad);
});

test('a pipe and a folder are no archives: nothing is waited for', async () => {
  const settings = await emptyPlace();
  const pipe = await archiveIn();
  execFileSync('mkfifo', [pipe]);
  for (const file of [pipe, dirname(pipe)])
    await assert.rejects(read(settings, file), /is not a file: specify a file of/);
  assert.deepEqual(await readdir(settings.DATA_DIR).catch(() => []), []);
});

test('an archive of an older schema is restored, and then migrated', async () => {
  const older = await emptyPlace();
  const client = new pg.Client(older.DATABASE_URL);
  await migrate(older.DATABASE_URL, { upTo: '0010-task-lists.sql' });
  await client.connect();
  await client.query("insert into app_user (email) values ('ada@example.com')");
  await client.end();
  const file = await archiveIn();
  const { manifest } = await backup(readConfig({ ...older }), {
    file,
    overwrite: false,
    includeSecret: false,
    allowMissing: false,
    onStep,
  });
  assert.equal(manifest.databases[0]?.migrations.at(-1)?.name, '0010-task-lists.sql');
  const to = await emptyPlace();
  const { found } = await read(to, file);
  assert.deepEqual(found?.ledger.violations, []);
  assert.equal(await dumpSchema(to.DATABASE_URL), await dumpSchema(place.settings.DATABASE_URL));
});
