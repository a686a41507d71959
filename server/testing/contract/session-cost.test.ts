import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { sql } from '../../db/sql.ts';
import { signedIn } from '../clients/browser.ts';
import { type Sent, watchStatements } from '../database/statements.ts';
import { startHarness } from '../harness/harness.ts';

let log: Sent[] = [];
watchStatements((sent) => log.push(sent));

const harness = await startHarness();
const { databaseUrl, db, fixtures, request } = harness;

const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const project = await fixtures.project({ organizationId: workspace });
const { id: team } = await db.one<{ id: string }>(
  sql`insert into team (organization_id, name) values (${workspace}, 'Night shift') returning id`,
);
const browser = await signedIn(harness, owner);

/** What a call sends to PostgreSQL, once its credential is known. */
async function sentBy(call: () => Promise<{ status: number; text: string }>): Promise<Sent[]> {
  await call();
  log = [];
  const { status, text } = await call();
  assert.equal(status, 200, text);
  const sent = log;
  log = [];
  // When credentials were used is written now and then, beside whatever request is on its way.
  return sent.filter((one) => !one.text.includes('noted.at'));
}

/** The pages that a statement touches. */
async function pagesOf({ text, values }: Sent): Promise<number> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await client.query('begin');
    // Once before, for what only the first statement of a connection looks up.
    let pages = 0;
    for (let time = 0; time < 2; time++) {
      const { rows } = await client.query(
        `explain (analyze, buffers, timing off, costs off) ${text}`,
        values,
      );
      const [first] = rows.map((row) => row['QUERY PLAN']).filter((line) => /Buffers/.test(line));
      pages = [...String(first).matchAll(/(?:hit|read)=(\d+)/g)].reduce(
        (sum, [, n]) => sum + Number(n),
        0,
      );
    }
    return pages;
  } finally {
    await client.query('rollback');
    await client.end();
  }
}

const CALLS: [string, string, object?][] = [
  ['GET', '/api/account'],
  ['GET', `/api/projects/${project}/people`],
  ['GET', `/api/organizations/${workspace}/invitations`],
  ['PUT', `/api/organizations/${workspace}/teams/${team}`, { can_merge_staging: true }],
];

for (const [method, path, body] of CALLS) {
  test(`${method} ${path.replaceAll(/[0-9a-f-]{36}/g, '…')}: a session costs what a key does`, async () => {
    const call = body && { body };
    const byKey = await sentBy(() => request(method, path, { key: owner.key, ...call }));
    const bySession = await sentBy(() => browser.request(method, path, call));
    assert.equal(byKey.length, 1, byKey.map(({ text }) => text).join('\n---\n'));
    assert.equal(bySession.length, 1, bySession.map(({ text }) => text).join('\n---\n'));
    const [key, session] = [byKey, bySession].map(([sent]) => pagesOf(sent as Sent));
    assert.match(bySession[0]?.text ?? '', /from session s/);
    // Both look one row up by its hash: as many levels of an index, and one page of a table.
    const [keyPages, sessionPages] = await Promise.all([key, session]);
    assert.ok((keyPages ?? 0) > 0);
    assert.ok((sessionPages ?? 0) <= (keyPages ?? 0) + 3, `${sessionPages} and ${keyPages}`);
  });
}
