import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import {
  MANIFEST,
  madeOf,
  PICTURED,
  PICTURES,
  picturesOf,
  readManifest,
  sourcesOf,
} from '../pictures.ts';

/** That the pictures of the documentation show the pages as they are. */

const ADVICE = 'run `npm run screenshots`, look at the pictures, and commit docs/pictures/';

test('each picture was made from its page as it is now', () => {
  const made = readManifest();
  const changed = Object.keys(PICTURED).filter(
    (page) => made[page]?.sources !== madeOf(page).sources,
  );
  assert.deepEqual(
    changed,
    [],
    `these pages have changed since their pictures were made: ${ADVICE}`,
  );
});

test('the pictures are those that were made with the list, all of them and no other, in 2.5 MB', () => {
  const made = readManifest();
  const pages = Object.keys(PICTURED);
  assert.deepEqual(Object.keys(made), pages);
  for (const page of pages) assert.equal(made[page]?.pictures, madeOf(page).pictures, ADVICE);
  const wanted = [...pages.flatMap(picturesOf).map((file) => basename(file)), basename(MANIFEST)];
  const files = readdirSync(PICTURES);
  assert.deepEqual(files.sort(), wanted.sort());
  const bytes = files.reduce((sum, file) => sum + statSync(join(PICTURES, file)).size, 0);
  assert.ok(bytes <= 2_500_000, `${bytes} bytes`);
});

test('the page of pictures shows each of them once, and no other', () => {
  const page = readFileSync(join(PICTURES, '../dashboard.md'), 'utf8');
  const shown = [...page.matchAll(/\]\(pictures\/([^)]+)\)/g)].map(([, file]) => file);
  const files = Object.keys(PICTURED).flatMap(picturesOf);
  assert.deepEqual(shown.sort(), files.map((file) => basename(file)).sort());
});

test('a page is made from its component, its parts, the shell and the tokens, not from other pages', () => {
  const of = (page: string) => sourcesOf(page).map((file) => file.replace(/.*\/web\/src\//, ''));
  const members = of('workspace-members');
  for (const file of ['tokens.css', 'shell/sidebar.tsx', 'ui/table.tsx', 'ui/icons.tsx'])
    assert.ok(members.includes(file), file);
  assert.ok(members.includes('pages/workspace/members.tsx'));
  assert.ok(!members.includes('pages/workspace/settings.tsx'));
  assert.ok(!members.includes('shell/palette.tsx'));
  assert.ok(!of('sign-in').includes('shell/sidebar.tsx'));
  // Parts that are loaded when they are shown belong to their page.
  assert.ok(of('task-approval').some((file) => file.endsWith('plan-panel.tsx')));
});
