import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { typesOf } from '../generate.ts';

const read = (path: string) => readFile(join(import.meta.dirname, path), 'utf8');

test('schema.d.ts is that of openapi.json', async () => {
  const types = await typesOf(await read('../../openapi.json'));
  assert.equal(await read('schema.d.ts'), types, 'run `npm run openapi`');
});
