import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HOME, WORK_TREE } from '../server/platform/pods/places.ts';
import { HELPER, USER } from '../server/platform/pods/remote/engine.ts';
import { sandboxAgent } from '../server/runner/agents/sandbox-agent.ts';
import { instructions, project, ROOT } from './files.ts';

/** The image that agents run in. It is not built here: no engine runs where these tests do. */

const all = instructions('deploy/agent.Dockerfile');
const argumentsOf = (name: string) =>
  all.filter((one) => one.name === name).map(({ text }) => text);

test('the Node.js of the server, without scripts of packages, and Git', () => {
  const stages = argumentsOf('FROM').map((from) => from.split(' ')[0]);
  assert.deepEqual(stages, Array(2).fill(`node:${project.dependencies.node}-slim`));
  const [install = '', system = ''] = argumentsOf('RUN');
  for (const option of ['npm ci', '--ignore-scripts', '--omit=dev', '--omit=optional'])
    assert.ok(install.includes(option), option);
  assert.match(system, /apt-get install .*\bgit\b/);
});

test('the user of pods owns the work tree and the home, and nothing else', () => {
  assert.equal(argumentsOf('USER').at(-1), `${USER}:${USER}`);
  const system = argumentsOf('RUN')[1] ?? '';
  assert.ok(system.includes(`mkdir --parents ${WORK_TREE} ${HOME}`));
  assert.ok(system.includes(`chown --recursive ${USER}:${USER} /pod`));
  assert.ok(!/--chown|--chmod/.test(argumentsOf('COPY').join()));
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
