import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pagesOf } from '../testing/fixtures/billing/pdf.ts';
import { succeededTopUp } from '../testing/fixtures/billing/top-ups.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

// The same operation for a person and for a workspace.

const { url, db, fixtures, log, request } = await startHarness();
const owner = await fixtures.user({ name: 'Ada Byron' });
const workspace = await fixtures.workspace(owner, { name: 'Acme' });
const card = await fixtures.card(owner);
const own = '/api/billing';
const ofWorkspace = `/api/organizations/${workspace}/billing`;
const topUp = async (where: { organizationId?: string }, user = owner, of = card) =>
  (await succeededTopUp(db, { userId: user.id, card: of, ...where })).invoiceId;

const fetched = async (
  path: string,
  user: User,
  headers: Record<string, string> = {},
  method = 'GET',
) => {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${user.key}`, ...headers },
  });
  return { answer, bytes: new Uint8Array(await answer.arrayBuffer()) };
};

for (const { whose, path, where, name } of [
  { whose: "one's own", path: own, where: {}, name: 'Ada Byron' },
  { whose: "a workspace's", path: ofWorkspace, where: { organizationId: workspace }, name: 'Acme' },
]) {
  test(`200: ${whose} invoice as a PDF to download, 304 to whoever has it, also by HEAD`, async () => {
    const id = await topUp(where);
    const { body: invoice } = await request('GET', `${path}/invoices/${id}`, owner);
    const pdf = `${path}/invoices/${id}/pdf`;
    const { answer, bytes } = await fetched(pdf, owner);
    const header = (name: string) => answer.headers.get(name);
    assert.deepEqual(
      [answer.status, header('content-type'), header('x-content-type-options')],
      [200, 'application/pdf', 'nosniff'],
    );
    assert.equal(header('content-disposition'), `attachment; filename="${invoice.number}.pdf"`);
    assert.equal(header('content-length'), String(bytes.length));
    const [page] = await pagesOf(bytes);
    for (const said of [invoice.number, name, `${invoice.total} USD`, 'Test document'])
      assert.ok(page?.text.includes(said), said);
    const etag = header('etag') as string;
    assert.match(etag, /^"[0-9a-f]{64}"$/);
    for (const method of ['GET', 'HEAD']) {
      const again = await fetched(pdf, owner, { 'if-none-match': etag }, method);
      assert.deepEqual([again.answer.status, again.bytes.length], [304, 0]);
      assert.equal(again.answer.headers.get('etag'), etag);
    }
    const head = await fetched(pdf, owner, {}, 'HEAD');
    assert.deepEqual(
      [head.answer.status, head.bytes.length, head.answer.headers.get('content-length')],
      [200, 0, String(bytes.length)],
    );
    const part = await fetched(pdf, owner, { range: 'bytes=0-3' });
    assert.deepEqual([part.answer.status, Buffer.from(part.bytes).toString()], [206, '%PDF']);
  });
}

test('200: the paper of the country, unless another one is asked for, each with its own ETag', async () => {
  const american = await fixtures.user();
  const card = await fixtures.card(american);
  await request('PUT', '/api/billing/details', { key: american.key, body: { country: 'US' } });
  const [european, letter] = [await topUp({}), await topUp({}, american, card)];
  const width = async (id: string, user: User, query = '') => {
    const { answer, bytes } = await fetched(`${own}/invoices/${id}/pdf${query}`, user);
    return [(await pagesOf(bytes))[0]?.width, answer.headers.get('etag')];
  };
  const [a4, tag] = await width(european, owner);
  const [asked, otherTag] = await width(european, owner, '?paper=letter');
  assert.deepEqual([a4, asked], [595.28, 612]);
  assert.notEqual(tag, otherTag);
  assert.equal((await width(letter, american))[0], 612);
  assert.equal((await width(letter, american, '?paper=a4'))[0], 595.28);
});

test('403 and 404: the PDF is refused as its invoice is; 422: another paper', async () => {
  const stranger = await fixtures.user();
  const member = await fixtures.user();
  await fixtures.member(workspace, member);
  const elsewhere = await fixtures.workspace(owner);
  const mine = await topUp({});
  const workspaces = await topUp({ organizationId: workspace });
  for (const [user, path, status] of [
    [stranger, `${own}/invoices/${mine}`, 403],
    [owner, `${own}/invoices/${workspaces}`, 403],
    [member, `${ofWorkspace}/invoices/${workspaces}`, 403],
    [stranger, `${ofWorkspace}/invoices/${workspaces}`, 403],
    [owner, `${ofWorkspace}/invoices/${mine}`, 404],
    [owner, `/api/organizations/${elsewhere}/billing/invoices/${workspaces}`, 404],
    [owner, `${own}/invoices/${crypto.randomUUID()}`, 404],
  ] as [User, string, number][]) {
    const invoice = await request('GET', path, user);
    const pdf = await request('GET', `${path}/pdf`, user);
    assert.deepEqual([pdf.status, pdf.body], [status, invoice.body], path);
  }
  const paper = await request('GET', `${own}/invoices/${mine}/pdf?paper=a3`, owner);
  assert.deepEqual([paper.status, paper.body.detail[0].loc], [422, ['query', 'paper']]);
});

test('503 pdfs_busy: beyond 32 at once of one person; others are served meanwhile', async () => {
  const other = await fixtures.user();
  const id = await topUp({});
  const theirs = await topUp({}, other, await fixtures.card(other));
  const logged = log.length;
  const all = Promise.all(
    Array.from({ length: 64 }, () => fetched(`${own}/invoices/${id}/pdf`, owner)),
  );
  const account = await request('GET', '/api/account', owner);
  const another = await fetched(`${own}/invoices/${theirs}/pdf`, other);
  assert.deepEqual([account.status, another.answer.status], [200, 200]);
  assertRefused(await all, 32);
  const lines = log.slice(logged).map((line) => JSON.parse(line));
  assert.ok(lines.filter(({ status }) => status === 503).length > 0);
  assert.deepEqual(
    lines.filter(({ level, err }) => level > 30 || err !== undefined),
    [],
    'a refusal is a line at level info, without a stack',
  );
});

test('503 pdfs_busy: beyond 32 at once of one workspace, whoever of it asks', async () => {
  const id = await topUp({ organizationId: workspace });
  const admins = await Promise.all(Array.from({ length: 4 }, () => fixtures.user()));
  for (const admin of admins) await fixtures.member(workspace, admin, 'admin');
  const pdf = `${ofWorkspace}/invoices/${id}/pdf`;
  const asked = admins.flatMap((admin) => Array.from({ length: 16 }, () => fetched(pdf, admin)));
  const mine = await fetched(`${own}/invoices/${await topUp({})}/pdf`, owner);
  assert.equal(mine.answer.status, 200);
  assertRefused(await Promise.all(asked), 32);
});

/** At least so many were served, and the others refused. */
function assertRefused(answers: Awaited<ReturnType<typeof fetched>>[], served: number): void {
  const refused = answers.filter(({ answer: { status } }) => status !== 200);
  assert.ok(answers.length - refused.length >= served);
  assert.ok(refused.length > 0);
  for (const { answer, bytes } of refused) {
    const { code } = JSON.parse(Buffer.from(bytes).toString());
    assert.deepEqual(
      [answer.status, code, answer.headers.get('retry-after')],
      [503, 'pdfs_busy', '5'],
    );
  }
}
