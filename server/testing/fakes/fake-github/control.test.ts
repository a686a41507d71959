import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakeGithub } from './server.ts';

/** The control surface, with which the fake is used by hand. */

const fake = await startFakeGithub();
after(() => fake.close());

async function command<Body>(name: string, body?: unknown) {
  const response = await fetch(`${fake.url}/_control/${name}`, {
    method: body === undefined ? 'GET' : 'POST',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

test('a repository from its creation to a merged pull request', async () => {
  const repository = 'acme/shop';
  assert.equal((await command('install', { login: 'acme' })).status, 200);
  await command('add-repository', { repository });
  const files = { 'a.txt': 'one\n' };
  const branch = 'task/1';
  const { body: sha } = await command('commit', { repository, branch, files });
  const checked = { repository, branch, name: 'tests', conclusion: 'success' };
  assert.equal((await command('check', checked)).status, 200);
  assert.equal(
    (await command('status', { ...checked, context: 'ci', state: 'success' })).status,
    200,
  );
  const deployed = await command<{ sha: string; environment: string }>('deploy', {
    repository,
    branch,
    environment: 'staging',
  });
  assert.deepEqual([deployed.body.sha, deployed.body.environment], [sha, 'staging']);
  await command('open-pull', { repository, head: branch, title: 'One' });
  assert.equal((await command('merge-pull', { repository, number: 1 })).status, 200);
  const { body } = await command<{ pulls: unknown }[]>('repositories');
  assert.deepEqual(body[0]?.pulls, [{ number: 1, state: 'closed', head: branch, base: 'main' }]);
  const { body: events } = await command<{ type: string }[]>('events');
  assert.deepEqual(
    new Set(events.map(({ type }) => type)),
    new Set([
      'installation',
      'installation_repositories',
      'push',
      'check_run',
      'check_suite',
      'status',
      'deployment',
      'deployment_status',
      'pull_request',
    ]),
  );
});

test('what is not there, or cannot be read, is a sentence', async () => {
  for (const [name, body, says] of [
    ['merge-pull', { repository: 'acme/none', number: 1 }, /There is no repository acme\/none/],
    ['suspend', {}, /installation is missing/],
    ['suspend', { installation: 1 }, /There is no installation 1/],
  ] as const) {
    const { status, body: answer } = await command<{ error: string }>(name, body);
    assert.equal(status, 400);
    assert.match(answer.error, says);
  }
  const unreadable = await fetch(`${fake.url}/_control/fault`, { method: 'POST', body: '{' });
  assert.equal(unreadable.status, 400);
  const { status, body } = await command<{ commands: string[] }>('help');
  assert.equal(status, 404);
  assert.ok(body.commands.includes('POST fault'));
});
