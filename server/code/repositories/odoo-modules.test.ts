import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { odooModulesIn } from './odoo-modules.ts';

/** Which Odoo modules a commit has, as git lists them. */

async function committed(
  t: Pick<TestContext, 'after'>,
  files: readonly string[],
  links: Record<string, string> = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-modules-'));
  t.after(() => rm(folder, { recursive: true }));
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a', ...args], {
      encoding: 'utf8',
    }).trim();
  git('init', '--quiet');
  for (const [file, target] of [...files.map((each) => [each]), ...Object.entries(links)]) {
    const path = join(folder, file as string);
    await mkdir(dirname(path), { recursive: true });
    if (target === undefined) await writeFile(path, 'x');
    else await symlink(target, path);
  }
  git('add', '--all');
  git('commit', '--quiet', '--message', 'x');
  return { gitDir: join(folder, '.git'), commit: git('rev-parse', 'HEAD'), git };
}

test('modules are where manifests are, with the tree of each', async (t) => {
  const files = [
    'addons/books/__manifest__.py',
    'addons/books/a.py',
    'addons/shop/__manifest__.py',
  ];
  const { gitDir, commit, git } = await committed(t, files);
  const tree = (path: string) => git('rev-parse', `HEAD:${path}`);
  assert.deepEqual(await odooModulesIn(gitDir, commit), {
    addons: ['addons'],
    modules: { books: tree('addons/books'), shop: tree('addons/shop') },
    own: ['books', 'shop'],
  });
  assert.deepEqual(await odooModulesIn(gitDir, commit, { modules: ['sale', 'shop'] }), {
    addons: ['addons'],
    modules: { sale: '', shop: tree('addons/shop') },
    own: ['books', 'shop'],
  });
});

test('a module may be in the root of the repository, and the repository may have none', async (t) => {
  const one = await committed(t, ['books/__manifest__.py']);
  assert.deepEqual((await odooModulesIn(one.gitDir, one.commit))?.['addons' as never], ['.']);
  const none = await committed(t, ['__manifest__.py', 'a.py']);
  assert.equal(await odooModulesIn(none.gitDir, none.commit), undefined);
});

test('links, odd names and what is too deep are no modules', async (t) => {
  const { gitDir, commit } = await committed(
    t,
    [
      'a b/__manifest__.py',
      'x,y/books/__manifest__.py',
      'a/b/c/d/e/f/deep/__manifest__.py',
      'real',
    ],
    { 'linked/__manifest__.py': '../real', outside: '/etc' },
  );
  assert.equal(await odooModulesIn(gitDir, commit), undefined);
  assert.deepEqual(await odooModulesIn(gitDir, commit, { addons: ['outside'], modules: ['x'] }), {
    fault: '.guildhall.yml names the folder outside of addons, which is not there.',
  });
});

test('too many modules are a sentence that says what to name', async (t) => {
  const files = Array.from({ length: 51 }, (_, n) => `m${n}/__manifest__.py`);
  const { gitDir, commit } = await committed(t, files);
  assert.match(
    String(Object.values((await odooModulesIn(gitDir, commit)) ?? {})),
    /name those to install as odoo.modules/,
  );
  const named = await odooModulesIn(gitDir, commit, { modules: ['m7'] });
  assert.deepEqual(Object.keys((named as { modules: object }).modules), ['m7']);
});

test('a commit whose list of files is too long is refused with a sentence', async (t) => {
  const { gitDir, commit } = await committed(t, ['books/__manifest__.py']);
  const git = (args: string[], input?: string) =>
    execFileSync('git', ['--git-dir', gitDir, ...args], { encoding: 'utf8', input }).trim();
  const blob = git(['hash-object', '-w', '--stdin'], '');
  const numbers = (most: number) => Array.from({ length: most }, (_, n) => String(n));
  const names = numbers(1_000).map((n) => n.padStart(200, 'x'));
  const leaf = git(['mktree'], names.map((name) => `100644 blob ${blob}\t${name}\n`).join(''));
  const folders = numbers(400).map((n) => `040000 tree ${leaf}\t${n}\n`);
  const books = git(['ls-tree', commit, 'books']);
  const tree = git(['mktree'], `${folders.join('')}${books}\n`);
  assert.deepEqual(await odooModulesIn(gitDir, tree), {
    fault: 'The repository has too many files to look for Odoo modules among them.',
  });
});
