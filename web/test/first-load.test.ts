import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildWeb } from '../build.ts';
import { DASHBOARD } from './browser.ts';

/** What the document asks for at once, where the address is that of home or of a task. */

await buildWeb();
const document = readFileSync(join(DASHBOARD, 'index.html'), 'utf8');

const hrefs = (html: string): string[] =>
  [...html.matchAll(/<link rel="modulepreload"[^>]* href="\/([^"]+)"/g)].map(
    ([, path]) => path as string,
  );

const bytesOf = (path: string): number => statSync(join(DASHBOARD, `${path}.br`)).size;

function filesOf(page: 'home' | 'task'): string[] {
  const [, own] =
    document.match(new RegExp(`<template id="files-of-${page}">(.*?)</template>`, 's')) ?? [];
  assert.ok(own, `the document names the files of ${page}`);
  const frame = hrefs(document.replaceAll(/<template.*?<\/template>/gs, ''));
  return [...frame, ...hrefs(own)];
}

// Of the compressed files, without headers: 5 ms over 1.6 Mbit/s for each kilobyte.
for (const { page, most } of [
  { page: 'home', most: 67_000 },
  { page: 'task', most: 84_000 },
] as const)
  test(`the files of ${page} have at most ${most} bytes`, () => {
    const sizes = filesOf(page).map((path): [string, number] => [path, bytesOf(path)]);
    const total = sizes.reduce((sum, [, size]) => sum + size, 0);
    assert.ok(total > most / 2 && total <= most, `${total} bytes: ${sizes.join(', ')}`);
  });
