import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Entry, folder, git, gitWith, tree } from '../../testing/fixtures/code/git-client.ts';
import { longestTurn } from '../../testing/harness/thread-time.ts';
import { hasBuildFile, MOST_BYTES, readBuildFile } from './build-file.ts';

/** A build file is read from a commit, and whatever else is in its place is refused. */

const gitDir = await folder();
await git(gitDir, 'init', '--quiet', '--bare');

const blob = (content: Uint8Array | string) =>
  gitWith(gitDir, content, 'hash-object', '-w', '--stdin');

async function commitOf(...entries: Entry[]): Promise<string> {
  return git(gitDir, 'commit-tree', await tree(gitDir, ...entries), '-m', 'x');
}

const withFile = async (content: Uint8Array | string, mode = '100644') =>
  commitOf([mode, '.guildhall.yml', await blob(content)]);

const read = (commit: string) => readBuildFile(gitDir, commit);

const NOTHING = { checks: [], deploy: {} };

test('a commit without the file has nothing to do', async () => {
  const commit = await commitOf(['100644', 'README', await blob('x')]);
  assert.deepEqual([await hasBuildFile(gitDir, commit), await read(commit)], [false, NOTHING]);
  const below = await commitOf([
    '40000',
    'sub',
    await tree(gitDir, ['100644', '.guildhall.yml', await blob('x')]),
  ]);
  assert.deepEqual([await hasBuildFile(gitDir, below), await read(below)], [false, NOTHING]);
  const other = await commitOf(['100644', '.GUILDHALL.yml', await blob('checks: 1')]);
  assert.deepEqual(await read(other), NOTHING);
});

test('the file in the root of the commit is read, also one that is a program', async () => {
  const text = 'checks:\n  - name: tests\n    run: npm test\ndeploy:\n  staging: ./deploy.sh\n';
  for (const mode of ['100644', '100755']) {
    const commit = await withFile(text, mode);
    assert.equal(await hasBuildFile(gitDir, commit), true);
    assert.deepEqual(await read(commit), {
      checks: [{ name: 'tests', run: 'npm test', timeoutMinutes: 10 }],
      deploy: { staging: './deploy.sh' },
    });
  }
});

test('a link, a folder and a submodule in its place are faults', async () => {
  const target = await blob('other.yml');
  const inside = await tree(gitDir, ['100644', 'x', target]);
  const cases: [Entry[0], string, RegExp][] = [
    ['120000', target, /^\.guildhall\.yml is a symbolic link: it must be a file\.$/],
    ['40000', inside, /is a folder/],
    ['160000', '1'.repeat(40), /is a submodule/],
  ];
  for (const [mode, object, expected] of cases) {
    const commit = await commitOf([mode, '.guildhall.yml', object]);
    assert.equal(await hasBuildFile(gitDir, commit), true);
    assert.match(faultOf(await read(commit)), expected);
  }
});

test('64 KiB are read, and one byte more is a fault', async () => {
  assert.deepEqual(await read(await withFile(`#${' '.repeat(MOST_BYTES - 1)}`)), NOTHING);
  const large = await read(await withFile(`#${' '.repeat(MOST_BYTES)}`));
  assert.match(faultOf(large), /has 65537 bytes: it may have at most 65536\.$/);
});

test('what is not UTF-8 is a fault', async () => {
  for (const bytes of [[0xff, 0xfe, 0x61, 0], [0xc3, 0x28], [0x80], [0xed, 0xa0, 0x80]]) {
    const found = await read(await withFile(Buffer.from(bytes)));
    assert.match(faultOf(found), /^\.guildhall\.yml must be text in UTF-8\.$/);
  }
});

test('a fault names the line', async () => {
  const found = await read(await withFile('checks:\n  - name: a\n    runs: b\n'));
  assert.match(faultOf(found), /^\.guildhall\.yml: Line 3: a check has an unknown key "runs"/);
});

test('a commit that does not exist is no commit without checks', async () => {
  await assert.rejects(read('1'.repeat(40)));
});

function faultOf(found: Awaited<ReturnType<typeof readBuildFile>>): string {
  assert.ok('fault' in found, JSON.stringify(found));
  return found.fault;
}

test('everything else goes on while a file that takes long is read', async () => {
  const commit = await withFile(Buffer.from('['.repeat(MOST_BYTES)));
  const { result, own, all } = await longestTurn(() => read(commit));
  assert.match(faultOf(result), /^\.guildhall\.yml: /);
  assert.ok(own < all / 2, `${own} of ${all} ms`);
});
