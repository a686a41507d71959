import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { clientOf, tokenOf } from './octokit.ts';
import { startFakeGithub } from './server.ts';

const fake = await startFakeGithub();
after(() => fake.close());
const { id } = fake.install('acme');
const client = clientOf(fake, await tokenOf(fake, id));

const DEPLOYMENTS = 'GET /repos/{owner}/{repo}/deployments';
const STATUSES = `${DEPLOYMENTS}/{deployment_id}/statuses` as const;

test('deployments are listed newest first, by commit, reference and environment', async () => {
  const repository = await fake.addRepository('acme/listed');
  const at = { owner: 'acme', repo: 'listed' };
  const before = repository.branches.get('main') ?? '';
  const first = fake.deploy(repository, { ref: 'main', environment: 'staging' });
  await fake.commit(repository, { files: { 'a.txt': 'one\n' } });
  const second = fake.deploy(repository, { ref: 'main' });
  const ids = async (query: { sha?: string; environment?: string }) =>
    (await client.paginate(DEPLOYMENTS, { ...at, ...query, per_page: 1 })).map((each) => each.id);
  assert.deepEqual(await ids({}), [second.id, first.id]);
  assert.deepEqual(await ids({ sha: before }), [first.id]);
  assert.deepEqual(await ids({ environment: 'production' }), [second.id]);
});

test('a success makes earlier deployments inactive, but not in production', async () => {
  const repository = await fake.addRepository('acme/inactive');
  const at = { owner: 'acme', repo: 'inactive' };
  const last = async (deployment_id: number) => {
    const { data } = await client.request(STATUSES, { ...at, deployment_id });
    return data.map(({ state }) => state);
  };
  for (const [environment, then] of [
    ['staging', ['inactive', 'success', 'in_progress']],
    ['production', ['success', 'in_progress']],
  ] as const) {
    const [old, next] = [1, 2].map(() => fake.deploy(repository, { ref: 'main', environment }));
    for (const each of [old, next]) {
      assert.ok(each);
      fake.deployStatus(repository, each, 'in_progress');
      fake.deployStatus(repository, each, 'success', { logUrl: 'https://ci.example/1' });
    }
    assert.deepEqual(await last(old?.id ?? 0), then);
    assert.deepEqual(await last(next?.id ?? 0), ['success', 'in_progress']);
  }
});
