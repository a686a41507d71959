import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { openPods } from '../platform/pods/open-pods.ts';
import { git } from '../testing/fixtures/code/git-client.ts';
import { startGitSource } from '../testing/fixtures/code/git-source.ts';
import { networkUseIn } from '../testing/fixtures/runner/network-use.ts';
import { withoutSandbox } from '../testing/fixtures/runner/pods.ts';
import {
  fetchNpm,
  fetchPython,
  type Registry,
} from '../testing/fixtures/runner/registry-clients.ts';
import { taskServers } from '../testing/fixtures/runner/task-servers.ts';
import { until } from '../testing/harness/until.ts';

/**
 * The whole road with real packages and their own tests, with the sandbox agent: imported, set up
 * from their registry through the proxy, changed so that a check fails, fixed, merged; and the next
 * task takes what the setup of the first one has left.
 */

const MINUTES = 60_000;
const TOKEN = 'not-to-be-seen-3f81c2';

interface Package {
  name: string;
  fetch(folder: string): Promise<Registry>;
  /** The project's variables for the setup, beside the secret. */
  variables(registry: Registry): Record<string, string | undefined>;
  environment: { setup: string; cache: string[]; ignored: string[] };
  check: string;
  /** A test of ours beside the package's, and the file that it wants. */
  test: { path: string; content: string; wants: string };
  /** How many tests passed, in the log of the check. */
  passed: RegExp;
}

const PACKAGES: Package[] = [
  {
    name: 'light-my-request',
    fetch: (folder) => fetchNpm('light-my-request@6.8.1', folder),
    variables: ({ index, authority }) => ({
      npm_config_registry: index,
      npm_config_ca: authority,
    }),
    environment: {
      setup: 'echo "with $TOKEN"; npm ci',
      cache: ['package-lock.json'],
      ignored: ['node_modules/', 'coverage/'],
    },
    // Its `npm test` also lints, and checks types.
    check: 'echo "with $TOKEN"; npm run test:unit',
    test: {
      path: 'test/limits.test.js',
      content: `'use strict'

const { existsSync } = require('node:fs')
const { test } = require('node:test')

test('there are limits', (t) => {
  t.assert.ok(existsSync('lib/limits.js'), 'lib/limits.js is missing')
})
`,
      wants: 'lib/limits.js',
    },
    passed: /^(?:#|ℹ) pass (\d+)$/m,
  },
  {
    name: 'flask',
    fetch: (folder) => fetchPython('flask==3.1.3', folder),
    variables: ({ index, authority }) => ({
      PIP_INDEX_URL: index,
      REGISTRY_CA: authority,
    }),
    environment: {
      // pip takes a file, where npm takes the certificate itself.
      setup: [
        'set -e',
        'echo "with $TOKEN"',
        'if [ -n "$REGISTRY_CA" ]; then echo "$REGISTRY_CA" > ~/ca.pem; export PIP_CERT=~/ca.pem; fi',
        'python3 -m venv .venv',
        // Versions that the tests of this release pass with.
        ".venv/bin/pip install --editable '.[async]' 'pytest<9' werkzeug==3.1.5",
      ].join('\n'),
      cache: ['pyproject.toml'],
      ignored: ['.venv/', '__pycache__/', '.pytest_cache/'],
    },
    check: 'echo "with $TOKEN"; .venv/bin/pytest -q',
    test: {
      path: 'tests/test_limits.py',
      content: `from pathlib import Path


def test_limits():
    assert Path("src/flask/limits.py").exists(), "src/flask/limits.py is missing"
`,
      wants: 'src/flask/limits.py',
    },
    passed: /^(\d+) passed/m,
  },
];

const wanted = process.env.GUILDHALL_TEST_PACKAGES !== undefined;
const ask = !wanted && 'needs registries: npm run test:skipped -- --only packages';
const {
  GUILDHALL_TEST_DOCKER,
  GUILDHALL_TEST_PODS_IMAGE: image = '',
  DOCKER_HOST: host = 'unix:///var/run/docker.sock',
} = process.env;
// A server destroys the pods of its namespace that its database does not know: with one of their
// own, two runs at one engine, or what was left of one, do not interrupt each other's turns.
const namespace = `packages-${randomUUID().slice(0, 8)}`;

const DRIVERS = [
  {
    name: 'confined processes',
    skip: ask || (await withoutSandbox()),
    env: { PODS_DRIVER: 'process', PODS_SANDBOX: 'required' },
    clear: async () => {},
  },
  {
    name: 'Docker',
    skip:
      ask || (GUILDHALL_TEST_DOCKER === undefined && 'needs an engine: GUILDHALL_TEST_DOCKER=1'),
    env: {
      PODS_DRIVER: 'docker',
      PODS_IMAGE: image,
      PODS_NAMESPACE: namespace,
      DOCKER_HOST: host,
    },
    clear: async () => {
      const pods = await openPods({ driver: 'docker', host, image, namespace });
      for (const { id } of await pods.list()) await pods.destroy(id);
      await pods.close();
    },
  },
];

interface Event {
  type: string;
  payload: {
    status?: string;
    conclusion?: string;
    seconds?: number;
    log?: string;
  };
}
interface Check {
  id: string;
  name: string;
  conclusion?: string;
}

for (const driver of DRIVERS)
  for (const each of PACKAGES)
    test(`${each.name} in ${driver.name}: imported, set up, changed, checked and merged`, {
      skip: driver.skip,
    }, async (t) => {
      const tree = await mkdtemp(join(tmpdir(), 'guildhall-package-'));
      t.after(() => rm(tree, { recursive: true, force: true }));
      const registry = await each.fetch(tree);
      const source = await startGitSource();
      const { setup, cache, ignored } = each.environment;
      const checks = [{ name: 'tests', run: each.check, timeout_minutes: 20 }];
      const files = {
        '.gitignore': `${ignored.join('\n')}\n`,
        // YAML takes JSON.
        '.guildhall.yml': JSON.stringify({ environment: { setup, cache }, checks }),
        [each.test.path]: each.test.content,
      };
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(tree, path)), { recursive: true });
        await writeFile(join(tree, path), content);
      }
      await git(tree, 'init', '--quiet', '--initial-branch=main');
      await git(tree, 'add', '--all');
      await git(tree, 'commit', '--quiet', '--message', `${each.name}, with a failing test`);
      await git(tree, 'clone', '--quiet', '--bare', tree, join(source.home, 'package.git'));

      t.after(driver.clear);
      const tasks = await taskServers();
      const server = await tasks.serve([], {
        ...driver.env,
        IMPORT_ALLOWED_NETWORKS: '127.0.0.1',
        IMPORT_ALLOW_HTTP: 'true',
        ...(registry.networks.length > 0 && { PODS_NETWORK_PRIVATE: registry.networks.join(',') }),
      });
      // What a failure is about.
      server.child.stderr?.on('data', (chunk: Buffer) => {
        for (const line of chunk.toString().split('\n'))
          if (/"level":[456]0/.test(line) && !line.includes('slow statement'))
            t.diagnostic(line.slice(0, 1_000));
      });
      const call = <Answer>(method: string, path: string, body?: object) =>
        tasks.call<Answer>(server, method, path, body);
      const text = async (path: string): Promise<string> => {
        const headers = { authorization: `Bearer ${tasks.owner.key}` };
        return (await fetch(`${server.url}/api/${path}`, { headers })).text();
      };

      const { id: project } = await call<{ id: string }>('POST', 'projects', {
        name: each.name,
        organization_id: tasks.workspace,
        erp_version: '19.0',
        erp_edition: 'community',
      });
      const repositories = await call<{ id: string }[]>('GET', `projects/${project}/repositories`);
      const importing = `projects/${project}/repositories/${repositories[0]?.id}/import`;
      await call('POST', importing, { url: `${source.url}/package.git` });
      const imported = async () =>
        (await call<{ import: { state: string } }>('GET', importing)).import.state;
      await until('imported', async () => !['queued', 'running'].includes(await imported()));
      assert.equal(await imported(), 'done');

      await call('PUT', `projects/${project}/network`, { setup: registry.hosts });
      const variables = `projects/${project}/variables`;
      for (const [name, value] of Object.entries(each.variables(registry)))
        if (value !== undefined)
          await call('PUT', `${variables}/${name}`, { value, secret: false, purposes: ['setup'] });
      const purposes = ['setup', 'checks'];
      await call('PUT', `${variables}/TOKEN`, { value: TOKEN, secret: true, purposes });

      const reaches = (id: string, status: string) =>
        until(status, async () => (await tasks.status(id)) === status, 20 * MINUTES);
      /** Returns the end of the setup of its pod, and the seconds until its plan was there. */
      const begin = async (message: string) => {
        const begun = performance.now();
        const { id } = await call<{ id: string }>('POST', `projects/${project}/tasks`, { message });
        await reaches(id, 'awaiting_approval');
        const seconds = (performance.now() - begun) / 1_000;
        const events = await call<Event[]>('GET', `tasks/${id}/events?limit=100`);
        const ends = events.filter(
          ({ type, payload }) => type === 'setup' && payload.status === 'ended',
        );
        return { id, seconds, setup: ends.at(-1)?.payload };
      };

      const first = await begin('Write docs/first.md');
      const { id } = first;
      assert.equal(first.setup?.conclusion, 'success', String(first.setup?.log));
      assert.match(first.setup?.log ?? '', /^with \*\*\*$/m);
      const used = networkUseIn(first.setup?.log ?? '');
      const receivedFrom = (name: string) => used.find(({ host }) => host === name)?.received ?? 0;
      for (const name of registry.hosts) assert.ok(receivedFrom(name) > 10_000, name);

      const pull = () =>
        call<{ head_sha: string; checks: { state: string } }>('GET', `tasks/${id}/pull-request`);
      const checked = async (state: string) => {
        // Reading a pull request runs git, so its events are looked at meanwhile.
        const { head_sha: head } = await pull();
        const ended = sql`
          select from task_event
           where task_id = ${id} and type = 'checks' and payload::json ->> 'head_sha' = ${head}
             and payload::json ->> 'state' in ('passed', 'failed')`;
        const isThere = async () => (await tasks.db.many(ended)).length > 0;
        await until('the checks have ended', isThere, 20 * MINUTES);
        const [check] = await call<Check[]>('GET', `tasks/${id}/pull-request/checks`);
        const log = await text(`tasks/${id}/pull-request/checks/${check?.id}/log`);
        assert.equal((await pull()).checks.state, state, log.slice(-4_000));
        // Secrets are hidden, and what the setup of the task's pod has left was put into this one.
        assert.match(log, /^Setup was taken from the cache/m);
        assert.match(log, /^with \*\*\*$/m);
        return log;
      };
      await call('POST', `tasks/${id}/plan/approve`);
      await reaches(id, 'ready');
      const { head_sha: red } = await call<{ head_sha: string }>(
        'POST',
        `tasks/${id}/pull-request`,
      );
      assert.match(await checked('failed'), new RegExp(`${each.test.wants} is missing`));
      await call('POST', `tasks/${id}/pull-request/fix-checks`);
      await until('the branch has moved', async () => (await pull()).head_sha !== red, 5 * MINUTES);
      const [, passed = 0] = each.passed.exec(await checked('passed')) ?? [];
      assert.ok(Number(passed) > 100, `${passed} tests have passed`);

      const { head_sha: green } = await pull();
      await call('POST', `tasks/${id}/merge`, { expected_head_sha: green });
      const merge = () => call<{ state: string }>('GET', `tasks/${id}/merge`);
      await until('merged', async () => (await merge()).state !== 'queued', 2 * MINUTES);
      assert.equal((await merge()).state, 'merged');

      const second = await begin('Write docs/second.md');
      assert.equal(second.setup?.conclusion, 'restored', String(second.setup?.log));
      t.diagnostic(
        `planned after ${first.seconds.toFixed(1)} s with a setup of ${first.setup?.seconds} s, and after ` +
          `${second.seconds.toFixed(1)} s with ${second.setup?.seconds} s from what was kept; ` +
          `${passed} tests passed; ` +
          used
            .map(
              ({ host, requests, received }) => `${host}: ${requests} requests, ${received} bytes`,
            )
            .join('; '),
      );
      const told = await tasks.db.many<{ text: string }>(sql`
        select payload::text as text from task_event where task_id in (${id}, ${second.id})`);
      const logs = await Promise.all([id, second.id].map((one) => text(`tasks/${one}/pod/log`)));
      for (const one of [...told.map((event) => event.text), ...logs])
        assert.ok(!one.includes(TOKEN), one);
      server.child.kill('SIGTERM');
      await once(server.child, 'exit');
    });
