import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { READY_AGENTS } from '../server/platform/catalog/ready-agents.ts';
import { HOME, WORK_TREE } from '../server/platform/pods/places.ts';
import { HELPER, USER } from '../server/platform/pods/remote/engine.ts';
import { sandboxAgent } from '../server/runner/agents/sandbox-agent.ts';
import { temporaryFolder } from '../server/testing/fixtures/tasks/file-stores.ts';
import { instructions, project, ROOT, read } from './files.ts';

/** The image that agents run in. `npm run test:skipped -- --only images` builds it. */

const all = instructions('deploy/agent.Dockerfile');
const argumentsOf = (name: string) =>
  all.filter((one) => one.name === name).map(({ text }) => text);

test('the Node.js of the server, and what projects need most', () => {
  const node = `node:${project.dependencies.node}-slim`;
  assert.deepEqual(argumentsOf('FROM'), [`${node} AS base`, 'base AS agents']);
  const [system = ''] = argumentsOf('RUN');
  const programs = 'build-essential coreutils findutils git python3 python3-pip python3-venv tar';
  for (const name of programs.split(' '))
    assert.match(system, new RegExp(`apt-get install .* ${name} `), name);
});

test('the second image adds the ready agents, in the versions that the documentation has seen', () => {
  const agents = argumentsOf('RUN').at(-1) ?? '';
  const rows = read('docs/agents.md').matchAll(/^\| `([\w-]+)` \| `(@?[\w/-]+)` \|.*\| (.*) \|$/gm);
  const seen = new Map(
    [...rows].map(([, agent = '', name = '', how = '']) => [agent, [name, how]]),
  );
  for (const agent of Object.keys(READY_AGENTS)) {
    const [name = '', how = ''] = seen.get(agent) ?? [];
    const version = /\d+\.\d+\.\d+/.exec(how)?.[0];
    const wanted = version === undefined ? `${name}@` : `${name}@${version} `;
    assert.ok(`${agents} `.includes(` ${wanted}`), `${agent}: ${wanted}`);
  }
});

test('the user of pods owns the work tree and the home, and nothing else', () => {
  assert.equal(argumentsOf('USER').at(-1), `${USER}:${USER}`);
  const system = argumentsOf('RUN')[0] ?? '';
  assert.ok(system.includes(`mkdir --parents ${WORK_TREE} ${HOME}`));
  assert.ok(system.includes(`chown --recursive ${USER}:${USER} /pod`));
  assert.ok(!/--chown|--chmod/.test(argumentsOf('COPY').join()));
});

test('what the helper is compiled to is kept, readable by all, and belongs to root', async () => {
  const folder = await temporaryFolder();
  const [, compile = ''] = argumentsOf('RUN');
  const [, cache = ''] = /NODE_COMPILE_CACHE=(\S+)/.exec(compile) ?? [];
  assert.deepEqual(argumentsOf('ENV'), [`NODE_COMPILE_CACHE=${cache}`]);
  assert.ok(compile.includes(`setpriv --reuid=${USER} --regid=${USER} `));
  assert.match(compile, /chown --recursive 0:0 \.compiled && chmod --recursive a\+rX \.compiled$/);
  const [, command = ''] = /--clear-groups (node .*?) && chown/.exec(compile) ?? [];
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: folder };
  execFileSync('sh', ['-c', `${command} < /dev/null`], { cwd: ROOT, env });
  assert.equal((await readdir(folder)).length, 1);
});

test('the helper and the sandbox agent are where the worker calls them', () => {
  const root = '/opt/guildhall';
  assert.ok(argumentsOf('WORKDIR').includes(root));
  const copied = argumentsOf('COPY')
    .filter((text) => !text.includes('--from'))
    .flatMap((text) => text.split(' ').slice(0, -1));
  for (const path of copied) assert.ok(existsSync(join(ROOT, path)), path);
  for (const program of [HELPER, sandboxAgent.inImage?.args[0] ?? '']) {
    const path = program.slice(root.length + 1);
    assert.ok(program.startsWith(root) && existsSync(join(ROOT, path)), program);
    assert.ok(
      copied.some((folder) => path.startsWith(`${folder}/`)),
      program,
    );
  }
});
