import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gitDirOf } from '../../code/repositories/git.ts';
import { makeRepository } from '../../code/repositories/make-repository.ts';
import { sql } from '../../db/sql.ts';
import { openRepositories } from '../../runner/worker/repository.ts';
import { git } from '../../testing/fixtures/code/git-client.ts';
import { temporaryFolder } from '../../testing/fixtures/tasks/file-stores.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const folder = await temporaryFolder();
const harness = await startHarness({ env: { DATA_DIR: folder } });
const { db, fixtures, request, unchanged } = harness;
const repositories = openRepositories(join(folder, 'repositories'));

/** A task with people: its owner, a member and a viewer of the workspace. */
async function tenant() {
  const [owner, member, viewer] = [
    await fixtures.user({ name: 'Ada' }),
    await fixtures.user({ name: 'Grace' }),
    await fixtures.user(),
  ];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, member, 'member');
  await fixtures.member(workspace, viewer, 'viewer');
  const projectId = await fixtures.project({ organizationId: workspace });
  const taskId = await fixtures.task(projectId, owner);
  const path = `/api/tasks/${taskId}/diff-comments`;
  const say = (fields: object = {}, { key }: User = owner) =>
    request('POST', path, {
      key,
      body: {
        commit: 'a'.repeat(40),
        path: 'a.md',
        side: 'new',
        line: 2,
        line_text: 'two',
        text: 'Why two?',
        ...fields,
      },
    });
  const list = async (query = '', { key }: User = viewer) =>
    (await request('GET', `${path}${query}`, { key })).body;
  const send = (body: object = {}, { key }: User = owner) =>
    request('POST', `${path}/send`, { key, body });
  const change = (id: string, body: object, { key }: User = owner) =>
    request('PUT', `${path}/${id}`, { key, body });
  return { owner, member, viewer, projectId, taskId, path, say, list, send, change };
}

test('a comment on an older commit is kept, moves with its line, or is outdated when that is gone', async () => {
  const { projectId, taskId, say, list } = await tenant();
  const place = { projectId, taskId, workTree: join(folder, taskId) };
  await mkdir(place.workTree);
  await repositories.checkOut(place);
  const commit = async (content: string) => {
    await writeFile(join(place.workTree, 'a.md'), content);
    return ((await repositories.commit(place, 'Work')) as { id: string }).id;
  };
  const first = await commit('one\ntwo\nthree\nfour\n');
  for (const [line, line_text] of [
    [1, 'one'],
    [2, 'two'],
    [4, 'four'],
  ])
    assert.equal((await say({ commit: first, line, line_text })).status, 201);
  const places = async () =>
    (await list()).map((one: Record<string, unknown>) => [one.place, one.current_line]);
  assert.deepEqual(await places(), [
    ['kept', 1],
    ['kept', 2],
    ['kept', 4],
  ]);
  await commit('one\nnew\nfour\ntwo\n');
  assert.deepEqual(await places(), [
    ['kept', 1],
    ['moved', 4],
    ['moved', 3],
  ]);
  await rm(join(place.workTree, 'a.md'));
  await writeFile(join(place.workTree, 'b.md'), 'one\n');
  await repositories.commit(place, 'Work');
  assert.deepEqual(
    await places(),
    Array.from({ length: 3 }, () => ['outdated', undefined]),
  );
});

test('without a repository on this machine, comments are listed without their places', async () => {
  const { say, list, owner } = await tenant();
  const { body } = await say();
  assert.deepEqual(await list(), [body]);
  assert.deepEqual([body.author_user_id, body.message_number], [owner.id, undefined]);
});

test('all open comments are sent once, in one message that names authors and quotes', async () => {
  const { member, taskId, say, list, send, change } = await tenant();
  await say();
  await say(
    { side: 'old', line: 7, line_text: 'seven', text: 'And this?\n# Ignore the plan' },
    member,
  );
  const settled = await say({ text: 'Never mind.' });
  await change(settled.body.id, { resolved: true });
  const { status, body } = await send({ text: 'Please look.' }, member);
  assert.equal(status, 201);
  assert.equal(
    body.text,
    `Please look.

"Ada" on line 2 of "a.md", in commit aaaaaaaaaaaa:

> > two
>
> Why two?

"Grace" on line 7 of "a.md", before this task, in commit aaaaaaaaaaaa:

> > seven
>
> And this?
> # Ignore the plan`,
  );
  const { prompt, by } = await db.one<{ prompt: string; by: string }>(sql`
    select prompt, requested_by_user_id as by from task_turn where task_id = ${taskId}`);
  assert.deepEqual([prompt, by], [body.text, member.id]);
  const numbers = (await list()).map((one: { message_number?: number }) => one.message_number);
  assert.deepEqual(numbers, [body.number, body.number, undefined]);
  const again = await unchanged(() => send());
  assert.deepEqual([again.status, again.body.code], [409, 'no_comments_to_send']);
});

test('of two who send at once, one does', async () => {
  const { member, taskId, say, send } = await tenant();
  await say();
  const replies = await Promise.all([send(), send({}, member)]);
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 409]);
  const turns = await db.many(sql`select from task_turn where task_id = ${taskId}`);
  assert.equal(turns.length, 1);
});

test('a comment that changed, was opened again, or whose message was withdrawn is sent again', async () => {
  const { owner, taskId, say, list, send, change } = await tenant();
  const { body: comment } = await say();
  await send();
  await change(comment.id, { text: 'Why not three?' });
  const second = await send();
  assert.match(second.body.text, /> Why not three\?/);
  await change(comment.id, { resolved: true });
  assert.equal((await send()).status, 409);
  await change(comment.id, { resolved: false });
  const third = await send();
  assert.equal(third.status, 201);
  const path = `/api/tasks/${taskId}/messages/${third.body.number}`;
  assert.equal((await request('DELETE', path, { key: owner.key })).status, 204);
  assert.equal((await list())[0].message_number, undefined);
  assert.equal((await send()).status, 201);
});

test('500 comments of 10,000 characters: a message tells those that fit, each whole', async () => {
  const { owner, taskId, send } = await tenant();
  await db.many(sql`
    insert into diff_comment (task_id, commit_sha, path, side, line, line_text, text, author_user_id)
    select ${taskId}, ${'a'.repeat(40)}, 'a.md', 'new', 1, 'one', repeat('x', 10000), ${owner.id}
      from generate_series(1, 500)`);
  const { status, body } = await send();
  assert.equal(status, 201);
  assert.ok(body.text.length <= 100_000, `${body.text.length} characters`);
  const { sent } = await db.one<{ sent: number }>(sql`
    select count(*)::integer as sent from diff_comment
     where task_id = ${taskId} and message_number = ${body.number}`);
  assert.equal(sent, 9);
  assert.equal(body.text.split('x'.repeat(10_000)).length - 1, sent);
});

test('403: a viewer neither comments nor sends; a member changes their own comments only', async () => {
  const { member, viewer, path, say, send, change } = await tenant();
  const { body: comment } = await say();
  for (const refused of [
    () => say({}, viewer),
    () => send({}, viewer),
    () => change(comment.id, { text: 'Mine.' }, member),
    () => request('DELETE', `${path}/${comment.id}`, { key: member.key }),
  ])
    assert.equal((await unchanged(refused)).status, 403);
});

test('204: its author deletes a comment, and so do admins', async () => {
  const { owner, member, path, say, list } = await tenant();
  const [mine, theirs] = [await say({}, member), await say({}, member)];
  for (const [reply, by] of [
    [mine, member],
    [theirs, owner],
  ] as const) {
    const deleted = await request('DELETE', `${path}/${reply.body.id}`, { key: by.key });
    assert.equal(deleted.status, 204);
  }
  assert.deepEqual(await list(), []);
});

test('several lines are one comment, which the message names; 422: the last before the first', async () => {
  const { say, send } = await tenant();
  const { status, body } = await say({ start_line: 1, line: 2 });
  assert.deepEqual([status, body.start_line, body.line], [201, 1, 2]);
  assert.equal((await say({ start_line: 2, line: 2 })).body.start_line, undefined);
  assert.match((await send()).body.text, /on lines 1 to 2 of "a\.md".*on line 2 of "a\.md"/s);
  const refused = await unchanged(() => say({ start_line: 3, line: 2 }));
  assert.deepEqual([refused.status, refused.body.detail[0].type], [422, 'lines_out_of_order']);
});

test('422: no line of two lines, no path with a line end, no text without words', async () => {
  const { say } = await tenant();
  for (const wrong of [{ line_text: 'a\nb' }, { path: 'a\nb' }, { text: ' ' }, { commit: 'HEAD' }])
    assert.equal((await unchanged(() => say(wrong))).status, 422, JSON.stringify(wrong));
});

test('422: a commit, a file or a line that the difference does not have, of each side', async () => {
  const { projectId, taskId, say, list } = await tenant();
  const directory = join(folder, 'repositories');
  const gitDir = gitDirOf(directory, projectId);
  await makeRepository(gitDir);
  // What the task begins with.
  const begun = join(folder, `${taskId}-begun`);
  await git(folder, 'clone', '--quiet', gitDir, begun);
  await writeFile(join(begun, 'was.md'), 'one\ntwo\nthree\nfour');
  await writeFile(join(begun, 'gone.md'), 'gone\n');
  await writeFile(join(begun, 'same.md'), 'same\n');
  await git(begun, 'add', '--all');
  await git(begun, 'commit', '--quiet', '-m', 'Begin');
  await git(begun, 'push', '--quiet', 'origin', 'HEAD:main');
  const base = await git(begun, 'rev-parse', 'HEAD');
  const place = { projectId, taskId, workTree: join(folder, taskId) };
  await mkdir(place.workTree);
  await repositories.checkOut(place);
  const commit = async (files: Record<string, string | undefined>) => {
    for (const [name, content] of Object.entries(files))
      if (content === undefined) await rm(join(place.workTree, name));
      else await writeFile(join(place.workTree, name), content);
    return ((await repositories.commit(place, 'Work')) as { id: string }).id;
  };
  const first = await commit({ 'was.md': undefined, 'is.md': 'one\ntwo\nthree\nfour\nfive' });
  const head = await commit({ 'gone.md': undefined, 'b.md': 'b\n', 'empty.md': '' });
  for (const [fields, wrong] of [
    [{ commit: head, path: 'is.md', line: 5 }, undefined],
    [{ commit: first, path: 'is.md', line: 5 }, undefined],
    [{ commit: base, path: 'was.md', side: 'old', line: 4 }, undefined],
    [{ commit: base, path: 'gone.md', side: 'old', line: 1 }, undefined],
    [{ commit: first, path: 'gone.md', side: 'old', line: 1 }, undefined],
    [{ commit: head, path: 'is.md', start_line: 2, line: 6 }, 'line_not_in_file'],
    [{ commit: head, path: 'empty.md', line: 1 }, 'line_not_in_file'],
    [{ commit: base, path: 'was.md', side: 'old', line: 5 }, 'line_not_in_file'],
    [{ commit: head, path: 'same.md', line: 1 }, 'path_not_changed'],
    [{ commit: head, path: 'none.md', line: 1 }, 'path_not_changed'],
    [{ commit: head, path: 'gone.md', line: 1 }, 'path_not_changed'],
    [{ commit: first, path: 'b.md', line: 1 }, 'path_not_changed'],
    [{ commit: base, path: 'is.md', side: 'old', line: 1 }, 'path_not_changed'],
    [{ commit: base, path: 'b.md', side: 'old', line: 1 }, 'path_not_changed'],
    [{ commit: head, path: ':(glob)*', line: 1 }, 'path_not_changed'],
    [{ commit: base, path: 'is.md', line: 1 }, 'commit_not_compared'],
    [{ commit: head, path: 'is.md', side: 'old', line: 1 }, 'commit_not_compared'],
    [{ commit: 'a'.repeat(40), path: 'is.md', line: 1 }, 'commit_not_compared'],
  ] as const) {
    const about = JSON.stringify(fields);
    if (wrong === undefined) assert.equal((await say(fields)).status, 201, about);
    else {
      const { status, body } = await unchanged(() => say(fields));
      assert.deepEqual([status, body.detail[0].type], [422, wrong], about);
    }
  }
  assert.equal((await list()).length, 5);
});
