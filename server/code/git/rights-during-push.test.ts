import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { addressOf, folder, git, repositoriesIn } from '../../testing/fixtures/code/git-client.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { branchOf, gitDirOf } from '../repositories/git.ts';

/** Rights that end while a pack arrives: no reference moves, and nothing of the pack is kept. */

const home = await folder();
const dataDir = join(home, 'data');
const { url, db, fixtures } = await startHarness({ env: { DATA_DIR: dataDir } });
const repositories = await repositoriesIn(dataDir, db);
after(() => rm(home, { recursive: true, force: true }));
const ada = await fixtures.user();
const workspace = await fixtures.workspace(ada);

const line = (content: string) => (content.length + 4).toString(16).padStart(4, '0') + content;

/** A member whose push has begun: `end` sends the rest of its pack, and returns what git says. */
async function pushing(name: string) {
  const user = await fixtures.user();
  await fixtures.member(workspace, user, 'member');
  const id = await fixtures.project({ organizationId: workspace });
  const taskId = await fixtures.task(id, ada);
  const ref = `refs/heads/${branchOf(taskId)}`;
  const mine = join(home, name);
  await git(home, 'clone', addressOf(url, id, user.key), mine);
  await writeFile(join(mine, 'a.txt'), name);
  await git(mine, 'add', '.');
  await git(mine, 'commit', '-m', 'First');
  const head = await git(mine, 'rev-parse', 'HEAD');
  const pack = execFileSync('git', ['pack-objects', '--revs', '--stdout', '--quiet'], {
    cwd: mine,
    input: `${head}\n^origin/main\n`,
  });
  const commands = `${line(`${'0'.repeat(40)} ${head} ${ref}\0report-status`)}0000`;
  const sending = httpRequest(`${url}/git/${id}/main.git/git-receive-pack`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${user.key}`,
      'content-type': 'application/x-git-receive-pack-request',
    },
  });
  const answered = new Promise<string>((resolve, reject) => {
    sending.once('error', reject).once('response', (answer) => resolve(text(answer)));
  });
  sending.write(Buffer.concat([Buffer.from(commands), pack.subarray(0, 20)]));
  const gitDir = gitDirOf(repositories, id);
  await until('git reads the pack', async () =>
    (await readdir(join(gitDir, 'objects'))).some((each) => each.startsWith('tmp_objdir')),
  );
  const heads = () => git(gitDir, 'for-each-ref', ref);
  return {
    user,
    id,
    taskId,
    ref,
    heads,
    end: () => {
      sending.end(pack.subarray(20));
      return answered;
    },
    hasObject: () =>
      git(gitDir, 'cat-file', '-e', head).then(
        () => true,
        () => false,
      ),
  };
}

test('who may still push is let in', async () => {
  const push = await pushing('kept');
  assert.match(await push.end(), /unpack ok\n[\s\S]*ok refs\/heads\/task/);
  assert.notEqual(await push.heads(), '');
});

type Push = Awaited<ReturnType<typeof pushing>>;

const ENDINGS: Record<string, (push: Push) => ReturnType<typeof db.many>> = {
  'a member who is removed': ({ user }) =>
    db.many(sql`delete from membership where user_id = ${user.id}`),
  'a key that is revoked': ({ user }) =>
    db.many(sql`update api_key set revoked_at = now() where user_id = ${user.id}`),
  'a key that becomes one for reading': ({ user }) =>
    db.many(sql`update api_key set read_only = true where user_id = ${user.id}`),
  'a project that is archived': ({ id }) =>
    db.many(sql`update project set archived_at = now() where id = ${id}`),
  'a task that is deleted': ({ taskId }) => db.many(sql`delete from task where id = ${taskId}`),
};

for (const [name, end] of Object.entries(ENDINGS))
  test(`${name} while the pack arrives moves no reference`, async () => {
    const push = await pushing(name.replaceAll(' ', '-'));
    await end(push);
    assert.match(await push.end(), /pre-receive hook declined/);
    assert.equal(await push.heads(), '');
    assert.equal(await push.hasObject(), false);
  });
