import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeRepository } from '../../../code/repositories/make-repository.ts';
import { sql } from '../../../db/sql.ts';
import { startGithub } from '../../../testing/fixtures/code/github.ts';
import { tasksOnGitHub } from '../../../testing/fixtures/code/tasks-on-github.ts';
import { makePods } from '../../../testing/fixtures/runner/pods.ts';
import { temporaryFolder } from '../../../testing/fixtures/tasks/file-stores.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { runCommand } from '../commands/run-command.ts';
import { openRepositories } from '../repository.ts';
import { isPlain } from './read-submodules.ts';
import { absolute, attachedAt } from './submodule-urls.ts';
import { SUBMODULES, submodulesOf } from './submodules.ts';

/** Submodules, whose `.gitmodules` is whatever someone has pushed. */

const fake = await startGithub();
const harness = await startHarness({ github: fake });
const { db, fixtures, repositories: directory } = harness;
const owner = await fixtures.user();
const on = await tasksOnGitHub(harness, fake, owner);
const publicUrl = 'https://guildhall.test';
const submodules = submodulesOf(db, {
  directory,
  hosts: on.codeHosts,
  githubUrl: on.github.webUrl,
  publicUrl,
});
const repositories = openRepositories(directory, { submodules });

type Entry = { file: string } | { link: string } | { submodule: string };

/** Commits these entries to a repository of this server, as Git's plumbing lets anybody do. */
async function commit(projectId: string, name: string, entries: Record<string, Entry>) {
  const gitDir = join(directory, projectId, `${name}.git`);
  await makeRepository(gitDir);
  const index = join(await temporaryFolder(), 'index');
  const git = (args: string[], input?: string) =>
    execFileSync('git', args, {
      env: { PATH: process.env.PATH, GIT_DIR: gitDir, GIT_INDEX_FILE: index, ...PEOPLE },
      encoding: 'utf8',
      input,
    }).trim();
  const infos = Object.entries(entries).map(([path, entry]) => {
    if ('submodule' in entry) return `160000 ${entry.submodule}\t${path}`;
    const text = 'file' in entry ? entry.file : entry.link;
    const id = git(['hash-object', '-w', '--stdin'], text);
    return `${'file' in entry ? '100644' : '120000'} ${id}\t${path}`;
  });
  git(['update-index', '--index-info'], `${infos.join('\n')}\n`);
  const id = git(['commit-tree', git(['write-tree']), '-m', 'Files']);
  git(['update-ref', 'refs/heads/main', id]);
  return id;
}

const PEOPLE = {
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};

const module = (path: string, url: string, name = path) =>
  `[submodule "${name}"]\n\tpath = ${path}\n\turl = ${url}\n`;

/** A project with the repositories `main` and `library`, whose newest commit has `lib.txt`. */
async function project() {
  const id = await fixtures.project({ organizationId: on.workspace });
  await db.many(sql`
    insert into repository (project_id, host, full_name) values (${id}, 'local', 'library')`);
  const library = await commit(id, 'library', { 'lib.txt': { file: 'lib\n' } });
  return { id, library };
}

/** What the work tree of a new pod has, and its notices. */
async function checkedOut(projectId: string) {
  const taskId = await fixtures.task(projectId, owner);
  const workTree = await temporaryFolder();
  const place = { projectId, taskId, workTree };
  const notices = await repositories.checkOut(place);
  const read = (path: string) => readFile(join(workTree, path), 'utf8');
  return { place, notices, read, list: (path: string) => readdir(join(workTree, path)) };
}

test('a submodule of an attached repository is filled, by each form of its address, and stays as it is', async () => {
  const { id, library } = await project();
  const urls = [
    '../library.git',
    '../library',
    './../library',
    `${publicUrl}/git/${id}/library.git`,
    `${publicUrl}/git/${id}/library`,
  ];
  const entries = Object.fromEntries(urls.map((_, i) => [`deps/${i}`, { submodule: library }]));
  const file = urls.map((url, i) => module(`deps/${i}`, url)).join('');
  await commit(id, 'main', { ...entries, '.gitmodules': { file } });
  const { place, notices, read } = await checkedOut(id);
  assert.deepEqual(notices, []);
  for (const i of urls.keys()) assert.equal(await read(`deps/${i}/lib.txt`), 'lib\n');
  await writeFile(join(place.workTree, 'deps/0/lib.txt'), 'changed\n');
  await writeFile(join(place.workTree, 'deps/0/new.txt'), 'new\n');
  assert.equal(await repositories.commit(place, 'Nothing'), undefined);
});

test('the commands of checks and deploys have it, too', async (t) => {
  const { id, library } = await project();
  const head = await commit(id, 'main', {
    s: { submodule: library },
    '.gitmodules': { file: module('s', '../library.git') },
  });
  const driver = await makePods(t);
  const { log, conclusion } = await runCommand(
    { driver, directory, submodules },
    {
      podId: randomUUID(),
      projectId: id,
      commit: head,
      purpose: 'checks',
      variables: { env: {}, secrets: [] },
      run: 'cat s/lib.txt',
      env: {},
      timeout: 60_000,
    },
    { signal: t.signal },
  );
  assert.equal(conclusion, 'success');
  assert.match(log, /^lib\n/);
});

test('one of GitHub is filled', async () => {
  const { id } = await project();
  const place = await fake.addRepository(`acme/parts-${id.slice(0, 8)}`, {
    private: true,
    files: { 'part.txt': 'part\n' },
  });
  await db.many(sql`
    insert into repository (project_id, host, full_name, default_branch, host_repository_id,
                            installation_id)
    values (${id}, 'github', ${`acme/${place.name}`}, 'main', ${place.id}, ${on.acme.id})`);
  on.acme.repositoryIds.add(place.id);
  const submodule = place.branches.get('main') as string;
  const url = `git@127.0.0.1:acme/${place.name}.git`;
  const https = `${fake.url}/acme/${place.name}`;
  await commit(id, 'main', {
    part: { submodule },
    '.gitmodules': { file: module('part', https) },
  });
  const { notices, read } = await checkedOut(id);
  assert.deepEqual(notices, []);
  assert.equal(await read('part/part.txt'), 'part\n');
  const copies = join(directory, id, SUBMODULES);
  const [copy = ''] = await readdir(copies);
  const refs = execFileSync('git', ['for-each-ref', 'refs/guildhall'], {
    env: { GIT_DIR: join(copies, copy) },
  });
  assert.equal(refs.toString(), '', 'git may remove it once no task needs it');
  const again = await checkedOut(id);
  assert.equal(await again.read('part/part.txt'), 'part\n');
  assert.ok(attachedAt(url, [{ url: `http://127.0.0.1/acme/${place.name}.git` }]));
});

test('nothing that is not attached is fetched, and notices say so', async () => {
  const { id, library } = await project();
  const other = await project();
  const urls = [
    'https://example.com/library.git',
    `${publicUrl}/git/${other.id}/library.git`,
    '../../../../../library.git',
    `file://${directory}/${id}/library.git`,
    `${directory}/${id}/library.git`,
    `ext::sh -c "touch /tmp/x"`,
    '--upload-pack=touch',
    `-u`,
    `${publicUrl}/git/${id}/library.git?x`,
  ];
  const entries = Object.fromEntries(urls.map((_, i) => [`s${i}`, { submodule: library }]));
  await commit(id, 'main', {
    ...entries,
    none: { submodule: library },
    '.gitmodules': { file: urls.map((url, i) => module(`s${i}`, url)).join('') },
  });
  const { notices, list } = await checkedOut(id);
  for (const i of urls.keys()) assert.deepEqual(await list(`s${i}`), [], `${urls[i]}`);
  assert.equal(notices.length, 5);
  assert.equal(notices[4], '6 more submodules stay empty, for reasons such as these.');
  assert.match(
    notices[0] as string,
    /^The submodule "none" stays empty: .* An admin can attach it\.$/,
  );
});

test('a .gitmodules that is a link, includes files, is too large or cannot be parsed names nothing', async () => {
  const { id, library } = await project();
  const secret = join(await temporaryFolder(), 'config');
  await writeFile(secret, module('s', '../library.git'));
  for (const entry of [
    { link: 'elsewhere' },
    { file: `[include]\n\tpath = ${secret}\n` },
    { file: `${module('s', '../library.git')}#${'x'.repeat(70_000)}` },
    { file: '[submodule "s"\n' },
  ]) {
    await commit(id, 'main', {
      s: { submodule: library },
      elsewhere: { file: module('s', '../library.git') },
      '.gitmodules': entry,
    });
    const { list } = await checkedOut(id);
    assert.deepEqual(await list('s'), []);
  }
});

test('submodules of submodules are filled, to a depth, and a repository in itself ends', async () => {
  const { id } = await project();
  let inner = await commit(id, 'library', { 'lib.txt': { file: 'lib\n' } });
  for (let depth = 0; depth < 5; depth++)
    inner = await commit(id, 'library', {
      in: { submodule: inner },
      '.gitmodules': { file: module('in', '../library.git') },
    });
  await commit(id, 'main', {
    in: { submodule: inner },
    '.gitmodules': { file: module('in', '../library.git') },
  });
  const { notices, list } = await checkedOut(id);
  assert.deepEqual(await list('in/in/in'), ['.gitmodules', 'in']);
  assert.deepEqual(await list('in/in/in/in'), []);
  assert.deepEqual(notices, [
    'The submodule "in" stays empty: at most 20 are filled, 3 within each other.',
  ]);
});

test('at most 20 submodules are filled', async () => {
  const { id, library } = await project();
  const paths = Array.from({ length: 22 }, (_, i) => `s${String(i).padStart(2, '0')}`);
  await commit(id, 'main', {
    ...Object.fromEntries(paths.map((path) => [path, { submodule: library }])),
    '.gitmodules': { file: paths.map((path) => module(path, '../library.git')).join('') },
  });
  const { notices, list } = await checkedOut(id);
  const filled = await Promise.all(paths.map(async (path) => (await list(path)).length));
  assert.deepEqual(filled, [...Array(20).fill(1), 0, 0]);
  assert.match(notices.join('\n'), /at most 20 are filled/);
});

test('a commit that the repository does not have stays empty', async () => {
  const { id } = await project();
  await commit(id, 'main', {
    s: { submodule: '1'.repeat(40) },
    '.gitmodules': { file: module('s', '../library.git') },
  });
  const { notices, list } = await checkedOut(id);
  assert.deepEqual(await list('s'), []);
  assert.deepEqual(notices, ['The submodule "s" stays empty: library does not have its commit.']);
});

test('a folder that is a link, or holds something, is not written into', async () => {
  const { id, library } = await project();
  const head = await commit(id, 'main', {
    s: { submodule: library },
    t: { submodule: library },
    '.gitmodules': { file: module('s', '../library.git') + module('t', '../library.git') },
  });
  const [workTree, outside] = [await temporaryFolder(), await temporaryFolder()];
  await symlink(outside, join(workTree, 's'));
  await mkdir(join(workTree, 't'));
  await writeFile(join(workTree, 't', 'mine'), 'mine');
  const notices = await submodules({ projectId: id, commit: head, workTree });
  assert.deepEqual([await readdir(outside), await readdir(join(workTree, 't'))], [[], ['mine']]);
  assert.equal(notices.length, 2);
});

test('only plain paths are filled, and addresses are compared as Git resolves them', () => {
  for (const path of ['a', 'a/b', 'a b', '.hidden/x', 'a..b']) assert.ok(isPlain(path), path);
  for (const path of [
    '',
    '/a',
    'a//b',
    '../a',
    'a/..',
    './a',
    '.git',
    'a/.GIT/hooks',
    '-a',
    'a\\b',
    'a\nb',
    'git~1',
    'x'.repeat(501),
  ])
    assert.ok(!isPlain(path), path);
  const of = 'https://host.test/git/p/main.git';
  assert.equal(absolute('../library.git', of), 'https://host.test/git/p/library.git');
  assert.equal(absolute('./x', of), 'https://host.test/git/p/main.git/x');
  assert.equal(absolute('../../../x', of), 'https://host.test/x');
  assert.equal(absolute('../../../../x', of), undefined);
});
