import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, test } from 'node:test';
import { sql } from '../../../db/sql.ts';
import { startPeer } from '../../../testing/clients/peer.ts';
import { startNameServer } from '../../../testing/fakes/name-server.ts';
import { contentOf, git, tree } from '../../../testing/fixtures/code/git-client.ts';
import { startGitSource } from '../../../testing/fixtures/code/git-source.ts';
import { importsOn } from '../../../testing/fixtures/code/imports.ts';
import { killedImports } from '../../../testing/fixtures/code/killed-imports.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { until } from '../../../testing/harness/until.ts';

const harness = await startHarness({ own: true, env: { IMPORT_ALLOW_HTTP: 'true' } });
const { db, log, fixtures, request, unchanged } = harness;
const imports = await importsOn(harness);
const { project, worker, ended, stop } = imports;
const source = await startGitSource();

afterEach(() => {
  source.instead = undefined;
});

const refs = (gitDir: string) => git(gitDir, 'for-each-ref', '--format=%(refname)');

test('all branches and tags are imported, and the default branch becomes that of the source', async () => {
  const theirs = await source.make('shop', {
    trunk: { 'README.md': '# Shop\n', '.gitattributes': '*.bin filter=lfs -text\n' },
    next: { 'a.txt': 'a' },
    'task/00000000': { 'b.txt': 'b' },
  });
  await git(theirs, 'tag', 'v1', 'trunk');
  const one = await project();
  assert.deepEqual(await one.read(), { takes_history: true });
  const asked = await one.ask({ url: `${source.url}/shop.git` });
  assert.deepEqual([asked.status, asked.body.state], [201, 'queued']);
  // It ends before any progress is stored: the result has what was received all the same.
  worker({}, 30_000, 20_000);
  const { id: _, created_at, ended_at, received_bytes, ...found } = await ended(one);
  assert.deepEqual(found, {
    repository_id: one.repositoryId,
    url: `${source.url}/shop.git`,
    state: 'done',
    default_branch: 'trunk',
    branches: 2,
    tags: 1,
    left_out: 1,
    lfs: true,
    notice: found.notice,
    requested_by_user_id: one.owner.id,
  });
  assert.match(String(found.notice), /Git LFS/);
  assert.ok(Number(received_bytes) > 0);
  // The worker removes its mark and its copy once the outcome is written.
  await stop();
  assert.equal(await refs(one.gitDir), 'refs/heads/next\nrefs/heads/trunk\nrefs/tags/v1');
  assert.equal(await git(one.gitDir, 'rev-parse', 'HEAD'), await git(theirs, 'rev-parse', 'trunk'));
  assert.deepEqual(await readdir(dirname(one.gitDir)), ['main.git']);
  assert.equal((await one.read()).takes_history, false);
  const kept = await db.one(sql`
    select r.default_branch, m.branch, m.stage
      from repository r join merge_target m on m.project_id = r.project_id
     where r.id = ${one.repositoryId}`);
  assert.deepEqual(kept, { default_branch: 'trunk', branch: 'trunk', stage: 'production' });
});

type Project = Awaited<ReturnType<typeof project>>;
type Bounds = Parameters<typeof worker>[0];

/** An import that fails with this code leaves the repository and its folder as they were. */
async function failsWith(one: Project, code: string, body: object, bounds: Bounds = {}) {
  worker(bounds);
  // The first commit is made by the first worker that needs it.
  const before = await contentOf(one.gitDir).catch(() => undefined);
  const asked = await one.ask(body);
  assert.equal(asked.status, 201, asked.text);
  const last = await ended(one);
  assert.deepEqual([last.state, last.failure_code], ['failed', code], String(last.failure_message));
  await stop();
  assert.deepEqual(await readdir(dirname(one.gitDir)), ['main.git']);
  if (before !== undefined) assert.deepEqual(await contentOf(one.gitDir), before);
  assert.equal(await refs(one.gitDir), 'refs/heads/main');
  assert.deepEqual(await credentials(one), [{ credential: null }]);
  return last;
}

const credentials = ({ repositoryId }: Project) =>
  db.many(sql`
    select credential from repository_import where repository_id = ${repositoryId}
     order by created_at desc limit 1`);

test('422: no address of another kind, and none with a login, is taken', async () => {
  const one = await project();
  for (const url of [
    'ext::sh -c touch% /tmp/x',
    'file:///etc',
    '/etc',
    '../main.git',
    'ssh://git@example.com/a.git',
    'git@example.com:a/b.git',
    'git://example.com/a.git',
    'ftp://example.com/a.git',
    'https://ada:secret@example.com/a.git',
    'https://example.com/a.git?x=1',
    'https://example.com/a.git#main',
    'https://example.com:0/a.git',
    '--upload-pack=touch',
    'https:///a',
  ]) {
    const reply = await unchanged(() => one.ask({ url }));
    assert.deepEqual([reply.status, reply.body.detail[0].type], [422, 'import_url_invalid'], url);
  }
  const alone = await unchanged(() => one.ask({ url: 'https://a.example/b', username: 'ada' }));
  assert.equal(alone.body.detail[0].type, 'import_password_missing');
});

test('a member is refused, a stranger finds nothing, and nothing is changed', async () => {
  const owner = await fixtures.user();
  const member = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, member, 'member');
  const id = await fixtures.project({ organizationId: workspace });
  const { repository } = await db.one<{ repository: string }>(
    sql`select id as repository from repository where project_id = ${id}`,
  );
  const path = `/api/projects/${id}/repositories/${repository}/import`;
  const body = { url: 'https://example.com/a.git' };
  for (const [key, status] of [
    [member.key, 403],
    [(await fixtures.user()).key, 403],
  ] as const) {
    assert.equal((await unchanged(() => request('POST', path, { key, body }))).status, status);
    assert.equal((await unchanged(() => request('DELETE', path, { key }))).status, status);
  }
  assert.equal((await request('GET', path, { key: member.key })).status, 200);
});

test('409: two at once are one import, and what has commits takes none', async () => {
  const one = await project();
  const url = `${source.url}/shop.git`;
  const replies = await Promise.all(Array.from({ length: 6 }, () => one.ask({ url })));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409]);
  assert.equal(
    replies.find(({ status }) => status === 409)?.body.code,
    'repository_import_under_way',
  );
  worker();
  assert.equal((await ended(one)).state, 'done');
  const again = await unchanged(() => one.ask({ url }));
  assert.deepEqual([again.status, again.body.code], [409, 'repository_not_empty']);
});

test('a login is sent to the source alone, shown nowhere, and forgotten at the end', async () => {
  const secret = 'hunter2-not-shown';
  const expected = `Basic ${Buffer.from(`ada:${secret}`).toString('base64')}`;
  source.instead = ({ headers }, response) => {
    if (headers.authorization === expected) return false;
    response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    return true;
  };
  const url = `${source.url}/shop.git`;
  await failsWith(await project(), 'credentials_needed', { url });
  await failsWith(await project(), 'credentials_refused', { url, password: 'wrong' });
  const one = await project();
  worker();
  const asked = await one.ask({ url, username: 'ada', password: secret });
  assert.equal((await ended(one)).state, 'done');
  assert.deepEqual(await credentials(one), [{ credential: null }]);
  source.instead = undefined;
  for (const text of [asked.text, JSON.stringify(await one.read()), log.join('')])
    assert.ok(!text.includes(secret));
  const trail = await db.many(
    sql`select before, after from audit_event where project_id = ${one.id}`,
  );
  assert.ok(trail.length > 0 && !JSON.stringify(trail).includes(secret));
  assert.ok(source.asked.every(({ path }) => !path.includes(secret)));
});

test('an address of this machine is refused unless the operator allows it', async () => {
  const url = `${source.url}/shop.git`;
  const before = source.asked.length;
  const last = await failsWith(
    await project(),
    'blocked_address',
    { url },
    { allowedNetworks: [] },
  );
  assert.match(String(last.failure_message), /IMPORT_ALLOWED_NETWORKS/);
  await failsWith(await project(), 'blocked_address', {
    url: url.replace('127.0.0.1', 'localhost'),
  });
  assert.equal(source.asked.length, before);
});

test('a name that changes its mind leads nowhere else', async () => {
  const turns = ['127.0.0.1', '127.0.0.2'];
  const dns = await startNameServer(() => [turns[Math.min(dns.asked.length - 1, 1)] as string]);
  const inner = await startPeer((_, response) => response.end('inner'), {
    host: '127.0.0.2',
    port: Number(new URL(source.url).port),
  });
  const url = `${source.url.replace('127.0.0.1', 'git.example')}/shop.git`;
  await failsWith(await project(), 'blocked_address', { url }, { dnsServers: [dns.address] });
  assert.ok(dns.asked.length > 1);
  assert.deepEqual(inner.received, []);
});

/** The source leads what is below `/moved` there, with this status. */
const leadTo = (to: string, { status = 301, methods = ['GET', 'POST'] } = {}) => {
  source.instead = ({ url = '', method = '' }, response) => {
    if (!url.startsWith('/moved') || !methods.includes(method)) return false;
    const location = to.replace('PATH', url.slice('/moved'.length));
    response.writeHead(status, { location }).end();
    return true;
  };
};

test('redirects of the first request are followed to other servers, whose login they are not', async () => {
  const elsewhere = await startGitSource();
  await elsewhere.make('shop', { main: { 'a.txt': 'a' } });
  const url = `${source.url}/moved`;
  const one = await project();
  worker();
  for (const status of [302, 308]) {
    leadTo(`${elsewhere.url}/shop.gitPATH`, { status });
    const each = status === 302 ? one : await project();
    await each.ask({ url, username: 'ada', password: 'secret' });
    assert.equal((await ended(each)).state, 'done');
  }
  assert.match(await refs(one.gitDir), /refs\/heads\/main/);
  const methods = new Set(elsewhere.asked.map(({ method }) => method));
  assert.deepEqual([...methods], ['GET', 'POST']);
  assert.ok(elsewhere.asked.every(({ authorization }) => authorization === undefined));
  assert.ok(source.asked.some(({ authorization }) => authorization !== undefined));
  // The other one asks for a login, which it is not given.
  elsewhere.instead = (_, response) => {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    return true;
  };
  const last = await failsWith(await project(), 'credentials_needed', { url, password: 'secret' });
  assert.ok(
    String(last.failure_message).startsWith(
      `The source leads to ${elsewhere.url}/shop.git. The user name and password are not sent there.`,
    ),
    String(last.failure_message),
  );
  assert.ok(elsewhere.asked.every(({ authorization }) => authorization === undefined));
});

test('a redirect within the origin keeps the login', async () => {
  leadTo('/shop.gitPATH');
  const one = await project();
  worker();
  const before = source.asked.length;
  await one.ask({ url: `${source.url}/moved`, password: 'secret' });
  assert.equal((await ended(one)).state, 'done');
  assert.ok(source.asked.slice(before).every(({ authorization }) => authorization !== undefined));
});

test('a redirect to this network, to a page, without end, and of objects alone is told and not followed', async () => {
  const inner = await startPeer((_, response) => response.end('inner'), { host: '127.0.0.2' });
  const url = `${source.url}/moved`;
  for (const [to, code, said] of [
    [`${inner.url}PATH`, 'blocked_address', /leads to http:\/\/127\.0\.0\.2.*IMPORT_ALLOWED/],
    [`${source.url}/login?from=PATH`, 'redirected', /leads to .*\/login and not to a repository/],
    [`${source.url}/movedPATH`, 'redirected', /ever another address/],
    ['file:///etc/passwd', 'redirected', /an address of another kind/],
    [`${source.url.replace('//', '//ada:pw@')}/shop.gitPATH`, 'redirected', /of another kind/],
    [`${source.url}/a?x=PATH`, 'redirected', /and not to a repository/],
  ] as const) {
    leadTo(to);
    const last = await failsWith(await project(), code, { url });
    assert.match(String(last.failure_message), said);
    assert.doesNotMatch(String(last.failure_message), /ada|passwd/);
  }
  assert.deepEqual(inner.received, []);
  await git(source.home, 'clone', '--quiet', '--bare', 'shop.git', 'moved');
  for (const status of [302, 307]) {
    leadTo(`${source.url}/shop.gitPATH`, { status, methods: ['POST'] });
    const last = await failsWith(await project(), 'redirected', { url });
    assert.match(String(last.failure_message), /only for a part/);
  }
});

test('a source that stalls, sends too much, or is none says so', async () => {
  const url = `${source.url}/shop.git`;
  source.instead = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
    response.write('001e# service=git-upload-pack\n');
    return true;
  };
  await failsWith(await project(), 'stalled', { url }, { silence: 300 });
  await failsWith(await project(), 'too_slow', { url }, { life: 700 });
  source.instead = (_, response) => {
    response.end('<html>hello</html>');
    return true;
  };
  await failsWith(await project(), 'source_empty', { url });
  source.instead = undefined;
  await failsWith(await project(), 'source_not_found', { url: `${source.url}/none.git` });
  await git(source.home, 'init', '--quiet', '--bare', 'empty.git');
  await failsWith(await project(), 'source_empty', { url: `${source.url}/empty.git` });
  const random = Array.from({ length: 20_000 }, () => Math.random().toString(36)).join('');
  await source.make('large', { main: { random } });
  const large = { url: `${source.url}/large.git` };
  const last = await failsWith(await project(), 'too_large', large, { maxBytes: 100_000 });
  assert.match(String(last.failure_message), /IMPORT_MAX_MB/);
  await failsWith(await project(), 'too_many_references', { url }, { branches: 2 });
});

test('a hostile pack is refused: a tree that would write into .git', async () => {
  const gitDir = await source.make('hostile', { main: { 'a.txt': 'a' } });
  const blob = await git(gitDir, 'rev-parse', 'main:a.txt');
  const inner = await tree(gitDir, ['100644', 'config', blob]);
  const outer = await tree(gitDir, ['40000', '.git', inner]);
  const commit = await git(gitDir, 'commit-tree', '-m', 'Hostile', outer);
  await git(gitDir, 'update-ref', 'refs/heads/main', commit);
  await failsWith(await project(), 'hostile_pack', { url: `${source.url}/hostile.git` });
});

test('files of a repository on a web server are not taken, because git does not examine them', async () => {
  const gitDir = await source.make('files', { main: { 'a.txt': 'a' } });
  await git(gitDir, 'update-server-info');
  source.instead = ({ url = '' }, response) => {
    const path = new URL(url, source.url).pathname;
    readFile(join(source.home, path)).then(
      (content) => response.end(content),
      () => response.writeHead(404).end(),
    );
    return true;
  };
  await failsWith(await project(), 'not_git', { url: `${source.url}/files.git` });
  source.instead = undefined;
});

/** An import whose source waits, once it is asked for objects, until `go`. */
async function waiting(one: Project, url: string) {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const { promise: gone, resolve: go } = Promise.withResolvers<void>();
  source.instead = (request, response) => {
    if (request.method !== 'POST') return false;
    resolve();
    gone.then(() => {
      source.instead = undefined;
      source.pass(request, response);
    });
    return true;
  };
  await one.ask({ url });
  await asked;
  return go;
}

test('one that is cancelled while it is received leaves nothing', async () => {
  const one = await project();
  worker();
  const go = await waiting(one, `${source.url}/shop.git`);
  assert.equal((await one.cancel()).status, 204);
  assert.equal((await one.cancel()).status, 404);
  const { import: last } = await one.read();
  assert.deepEqual([last.state, last.failure_code], ['failed', 'cancelled']);
  await until('the copy is gone', async () => (await readdir(dirname(one.gitDir))).length === 1);
  go();
  assert.equal(await refs(one.gitDir), 'refs/heads/main');
  // Another one may be asked for at once.
  await one.ask({ url: `${source.url}/shop.git` });
  assert.equal((await ended(one)).state, 'done');
});

test('what was pushed into the repository meanwhile stays, and the import has failed', async () => {
  const one = await project();
  worker();
  const go = await waiting(one, `${source.url}/shop.git`);
  const empty = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
  const commit = await git(one.gitDir, 'commit-tree', '-p', 'main', '-m', 'Meanwhile', empty);
  await git(one.gitDir, 'update-ref', 'refs/heads/main', commit);
  go();
  assert.equal((await ended(one)).failure_code, 'repository_not_empty');
  assert.equal(await git(one.gitDir, 'rev-parse', 'main'), commit);
  assert.equal(await refs(one.gitDir), 'refs/heads/main');
});

test('whoever has asked and is no admin any more has imported nothing', async () => {
  const one = await project();
  await one.ask({ url: `${source.url}/shop.git` });
  await db.many(sql`update project set owner_user_id = null where id = ${one.id}`);
  worker();
  await until('it has ended', async () => {
    const [row] = await db.many<{ code: string | null }>(sql`
      select failure_code as code from repository_import where project_id = ${one.id}`);
    return row?.code === 'no_longer_permitted';
  });
});

// `crash-points.fault.test.ts` has all the other steps.
test('a worker that is killed while it puts the branches in place: another one imports them', async () => {
  const { run, goOn, check } = await killedImports(harness, imports);
  const one = await project();
  await run(one, 'git pack-refs');
  await goOn(one);
  await check(one);
});
