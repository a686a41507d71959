import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { type Anything, ROOT, read } from './files.ts';

const run = promisify(execFile);
const REDOCLY = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js');

test('openapi.json passes every rule of the linter that redocly.yaml does not except', async () => {
  // Without checking the registry for a newer version.
  const env = { PATH: process.env.PATH ?? '', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const lint = run(process.execPath, [REDOCLY, 'lint', 'openapi.json', '--format', 'json'], {
    cwd: ROOT,
    env,
  });
  const { stdout } = await lint.catch((failed: { stdout: string; stderr: string }) => {
    throw new Error(failed.stdout || failed.stderr);
  });
  assert.deepEqual(JSON.parse(stdout).totals, { errors: 0, warnings: 0, ignored: 0 });
});

test('every exception of the linter has its reason above it', () => {
  const lines = read('redocly.yaml').split('\n');
  const off = lines.flatMap((line, i) => (/^ {2}\S+: off$/.test(line) ? [lines[i - 1] ?? ''] : []));
  assert.ok(off.length > 0);
  for (const reason of off) assert.match(reason, /^ {2}# .+\.$/);
});

test('no text, number, list or object of a request body is without a bound', () => {
  const unbounded: string[] = [];
  const document = JSON.parse(read('openapi.json'));
  const { schemas } = document.components;
  const look = (schema: Anything, where: string): void => {
    if (schema.$ref !== undefined) {
      look(schemas[schema.$ref.split('/').at(-1)], where);
      return;
    }
    // An amount is bounded by its value, as a number and as a text.
    if (schema.format === 'decimal') {
      assert.ok(
        schema.anyOf[0].minimum !== undefined && schema.anyOf[0].maximum !== undefined,
        where,
      );
      return;
    }
    if (schema.anyOf !== undefined) {
      for (const each of schema.anyOf) if (each.type !== 'null') look(each, where);
      return;
    }
    const bounds: Record<string, boolean> = {
      string: [schema.maxLength, schema.enum, schema.format].some((bound) => bound !== undefined),
      integer: schema.minimum !== undefined && schema.maximum !== undefined,
      number: schema.minimum !== undefined && schema.maximum !== undefined,
      array: schema.maxItems !== undefined,
      object: schema.additionalProperties === false,
      boolean: true,
    };
    // Read-only fields are dropped, whatever they contain.
    if (schema.readOnly !== true && bounds[schema.type] !== true) unbounded.push(where);
    for (const [name, field] of Object.entries(schema.properties ?? {}))
      look(field, `${where}.${name}`);
    if (schema.items) look(schema.items, `${where}[]`);
  };
  const paths = Object.values<Anything>(document.paths);
  const bodies = paths
    .flatMap((path) => Object.values<Anything>(path))
    .filter(({ requestBody }) => requestBody);
  assert.ok(bodies.length >= 6);
  for (const { operationId, requestBody } of bodies)
    for (const { schema } of Object.values<Anything>(requestBody.content))
      look(schema, operationId);
  assert.deepEqual(unbounded, []);
});
