import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { ROOT, read } from './files.ts';

/** Everything that the documents refer to exists: files, headings, tests and scripts. */

const skipped = (path: string): boolean => /^(node_modules|\..+|dist)$/.test(basename(path));
const find = (pattern: string): string[] =>
  globSync(pattern, { cwd: ROOT, exclude: skipped as never });
const documents = find('**/*.md');
const tests = new Set(
  find('**/*.test.ts').map((path) => basename(path, '.test.ts').replace(/\.fault$/, '')),
);
const scripts = JSON.parse(read('package.json')).scripts as Record<string, string>;

/** The text without fenced blocks: their comments would be taken for headings. */
const prose = (path: string): string => read(path).replaceAll(/^ *```.*?^ *```$/gms, '');
/** The anchors that GitHub gives to the headings of a document. */
const anchors = (path: string): string[] =>
  [...prose(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );

const exists = (path: string): boolean =>
  path.includes('*') ? find(path).length > 0 : existsSync(join(ROOT, path));

test('the documents are found', () => {
  for (const path of [
    'README.md',
    'CONTRIBUTING.md',
    'docs/operations.md',
    'bench/peers/README.md',
  ])
    assert.ok(documents.includes(path), path);
});

for (const path of documents) {
  test(`${path}: every relative link leads to a file, and to a heading in it`, () => {
    for (const [, link = ''] of prose(path).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(link)) continue;
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      assert.ok(exists(target), link);
      if (anchor !== undefined) assert.ok(anchors(target).includes(anchor), link);
    }
  });

  test(`${path}: every file, test and script that it names exists`, () => {
    const text = read(path);
    // A recipe names the files that it makes.
    const made = new Set([...text.matchAll(/^```ts file=(\S+)$/gm)].map(([, file]) => file));
    // A path of the API begins with a slash.
    for (const [file] of text.matchAll(
      /(?<![\w./-])(?:api|bench|cli|client|demo|deploy|docs|web)\/[\w./*-]*/g,
    ))
      assert.ok(made.has(file) || exists(file.replace(/[./]+$/, '')), file);
    for (const [, name = ''] of text.matchAll(/(?<![\w/.-])([\w-]+)(?:\.fault)?\.test\.ts/g))
      assert.ok(
        tests.has(name) || [...made].some((file) => file?.endsWith(`/${name}.test.ts`)),
        `${name}.test.ts`,
      );
    // The peers have scripts of their own.
    for (const [, script = ''] of path.startsWith('bench/')
      ? []
      : text.matchAll(/npm run ([\w-]+(?::\w+)*)/g))
      assert.ok(script in scripts, `npm run ${script}`);
  });
}

test('docs/operations/security.md names tests that exist', () => {
  const rows = prose('docs/operations/security.md').matchAll(/^\| \d+ .*\|([^|]+)\|$/gm);
  for (const [, cell = ''] of rows)
    for (const [, name = ''] of cell.matchAll(/`([\w-]+)`/g)) assert.ok(tests.has(name), name);
});

test('docs/rulings.md has every ruling that is cited', () => {
  const entries = read('docs/rulings.md').matchAll(/^(?:## (\d+)\.|- \*\*(\d+\.\d+)\*\*)/gm);
  const known = new Set([...entries].map(([, section, ruling]) => section ?? ruling));
  const sources = find('{cli,client,deploy,server,web}/**/*.{ts,tsx,sql}');
  for (const path of [...documents, ...sources])
    for (const [, ruling = ''] of read(path).matchAll(/\brulings? (\d+(?:\.\d+)?)/g))
      assert.ok(known.has(ruling), `${path}: ruling ${ruling}`);
});
