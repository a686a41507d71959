import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './files.ts';

// docs/add-an-endpoint.md is carried out as it is written, on a copy of the project.

const BLOCK = /^```ts (file|insert)=(\S+)(?: after="(.+)")?\n([\s\S]*?)^```$/gm;

async function run(command: string, args: string[], cwd: string): Promise<string> {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  const [status] = await once(child, 'exit');
  assert.equal(status, 0, output);
  return output;
}

const isSource = (path: string): boolean => basename(path) !== 'node_modules';

test('the steps of docs/add-an-endpoint.md add an endpoint that works', async (t) => {
  const copy = await mkdtemp(join(tmpdir(), 'guildhall-recipe-'));
  t.after(() => rm(copy, { recursive: true, force: true }));
  for (const name of [
    'server',
    'cli',
    'client',
    'demo',
    'docs',
    'package.json',
    'tsconfig.json',
    'biome.json',
    'openapi.json',
    'web/auth-openapi.json',
    '.gitignore',
  ])
    await cp(join(ROOT, name), join(copy, name), { recursive: true, filter: isSource });
  for (const name of ['node_modules', 'client/node_modules'])
    await symlink(join(ROOT, name), join(copy, name));

  const page = await readFile(join(ROOT, 'docs/add-an-endpoint.md'), 'utf8');
  const steps = [...page.matchAll(BLOCK)];
  assert.equal(steps.length, 6);
  for (const [, kind, path, after, code] of steps as unknown as [
    string,
    string,
    string,
    string,
    string,
  ][]) {
    const file = join(copy, path);
    await mkdir(dirname(file), { recursive: true });
    if (kind === 'file') {
      await writeFile(file, code);
      continue;
    }
    const text = await readFile(file, 'utf8');
    const parts = text.split(after);
    assert.equal(parts.length, 2, `${path} has one place: ${after}`);
    const [before, behind] = parts as [string, string];
    await writeFile(
      file,
      `${before}${after}\n${code.trimEnd()}${behind.startsWith('\n') ? '' : '\n'}${behind}`,
    );
  }

  const node = process.execPath;
  await run(node, [join(ROOT, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', copy], copy);
  await run(node, ['server/main/write-openapi.ts'], copy);
  const document = JSON.parse(await readFile(join(copy, 'openapi.json'), 'utf8'));
  const path = '/api/organizations/{org_id}/teams/{team_id}/duplicate';
  assert.ok(document.paths[path].post.responses['201']);
  const setup = '--test-global-setup=server/testing/database/global-setup.ts';
  const walks = ['owasp-access', 'writes', 'openapi'].map(
    (name) => `server/testing/contract/${name}.test.ts`,
  );
  const output = await run(
    node,
    ['--test', setup, 'server/organizations/teams/duplicate-team.test.ts', ...walks],
    copy,
  );
  assert.match(output, /201: another team with the same permissions/);
});
