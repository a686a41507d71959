import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from '../../db/sql.ts';
import { anyText } from '../../testing/fixtures/any-text.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { isBranchName } from './branch-names.ts';
import { nameFault } from './names.ts';

const { db } = await startHarness();

/** Which of these the database takes for names of branches. */
const inDatabase = async (names: string[]): Promise<boolean[]> =>
  (
    await db.many<{ is_name: boolean }>(sql`
      select is_chosen_branch(name) as is_name
        from unnest(${names}::text[]) with ordinality n (name, place) order by place`)
  ).map(({ is_name }) => is_name);

const ODD = [
  'main',
  'HEAD',
  'refs/',
  '\u202e',
  '\u200d',
  '\u00a0',
  'task/0a1b2c3d',
  'a.lock',
  '.lock',
  'é',
  '\u2028',
  '\ud83d\ude00',
  '\u0085',
];

test('names that are branches, and names that are not', async () => {
  const yes = [
    'main',
    '17.0',
    'task/0a1b2c3d',
    'feature/a-b_c',
    'a@b',
    'a{b',
    'ünï/😀',
    'HEADS',
    'a/HEAD',
    'refs',
    '@a',
    'x'.repeat(200),
    'é'.repeat(100),
    'a.lockb',
    '-'.padStart(2, 'a'),
  ];
  const no = [
    '',
    '@',
    '.',
    '..',
    '/',
    '-',
    '-o',
    '--upload-pack=x',
    '.a',
    'a/.b',
    'a..b',
    'a//b',
    'a/',
    '/a',
    'a.',
    'a.lock',
    'a.lock/b',
    'a@{b',
    'a b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[b',
    'a\\b',
    'a\u007fb',
    'a\nb',
    'a\n',
    '\u2028..',
    'x'.repeat(201),
    'é'.repeat(101),
    'HEAD',
    'refs/heads/main',
    'refs/x',
    'ma\u202ein',
    'main\u200b',
    '\u00admain',
    'a\u2028b',
    'main\u00a0',
    '\ufeffmain',
    'a\ufdd0',
    '\u2800',
    'a\u0085b',
    'x'.repeat(4096),
  ];
  assert.deepEqual(
    yes.filter((name) => !isBranchName(name)),
    [],
  );
  assert.deepEqual(no.filter(isBranchName), []);
  assert.deepEqual(
    await inDatabase(yes),
    yes.map(() => true),
  );
  assert.deepEqual(
    await inDatabase(no),
    no.map(() => false),
  );
  assert.equal(isBranchName('a\u0000b'), false);
});

const part = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...'ab0._-/@{~^:?*[\\ \t\n\u007f') },
  { weight: 2, arbitrary: fc.constantFrom(...ODD) },
  { weight: 1, arbitrary: anyText({ maxLength: 3 }) },
);
const name = fc
  .oneof(
    fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
    fc.string({ unit: 'grapheme', minLength: 45, maxLength: 120 }),
  )
  // Neither a text of PostgreSQL nor an argument of a program holds it.
  .map((text) => text.replaceAll('\u0000', ''))
  .filter((text) => text.isWellFormed());

/** Which of these git takes for names of branches: one shell asks for all of them. */
function inGit(names: string[]): boolean[] {
  const each =
    'for name; do git check-ref-format --branch "$name" >&2 && echo yes || echo no; done';
  const args = ['-c', each, 'sh', ...names];
  const printed = execFileSync('sh', args, { cwd: '/', encoding: 'utf8', stdio: 'pipe' });
  return printed
    .trim()
    .split('\n')
    .map((answer) => answer === 'yes');
}

test('property: git takes every name that the server takes; of others, it takes what only people confuse', () => {
  const deceives = (branch: string) =>
    // Commands of git read it as HEAD.
    branch === '@' ||
    branch.startsWith('refs/') ||
    branch.trim() !== branch ||
    nameFault(branch) !== undefined ||
    Buffer.byteLength(branch) > 200;
  const holds = (branches: string[]) => {
    const there = inGit(branches);
    assert.equal(there.length, branches.length);
    assert.deepEqual(
      branches.map((branch) => isBranchName(branch)),
      branches.map((branch, i) => there[i] && !deceives(branch)),
    );
  };
  const some = ['HEAD', '@', '-a', 'a.lock', 'main', 'refs/heads/main', 'ma\u202ein'];
  assert.deepEqual(inGit(some), [false, true, false, false, true, true, true]);
  holds(some);
  fc.assert(fc.property(fc.array(name, { minLength: 50, maxLength: 100 }), holds), { numRuns: 4 });
});

test('property: the database takes every name that the server takes, and of others none but for their characters', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(name, { minLength: 200, maxLength: 400 }), async (names) => {
      const there = await inDatabase(names);
      // The server alone knows which characters are assigned, and where joiners may stand.
      const differ = names.filter(
        (each, i) => isBranchName(each) !== (there[i] && nameFault(each) === undefined),
      );
      assert.deepEqual(
        differ.map((each) => JSON.stringify(each)),
        [],
      );
    }),
    { numRuns: 30 },
  );
});
