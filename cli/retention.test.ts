import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openDatabase } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';
import { cloneDatabase } from '../server/testing/database/database.ts';
import { jsonOf, runCommand } from '../server/testing/processes/command.ts';

const clone = await cloneDatabase();
const db = openDatabase({ url: clone.url });
const env = { DATABASE_URL: clone.url };
after(async () => {
  await db.close();
  await clone.drop();
});

const mails = async () => (await db.many(sql`select from mail`)).length;

test('a dry run says how many rows would go and removes none; without it they go', async () => {
  await db.many(sql`
    insert into mail (kind, recipient, subject_id, status, next_attempt_at, ended_at)
    select 'security_notice', 'eve@example.com', gen_random_uuid(), 'sent', null,
           now() - n * interval '20 days'
      from generate_series(1, 5) n`);
  const { dry_run, rules } = (await jsonOf(['retention', '--dry-run'], { env })) as {
    dry_run: boolean;
    rules: { name: string; setting: string; days?: number; rows: number }[];
  };
  assert.equal(dry_run, true);
  const said = (wanted: string) => rules.find(({ name }) => name === wanted);
  assert.deepEqual(said('sent mail'), {
    name: 'sent mail',
    setting: 'RETENTION_MAIL_DAYS',
    days: 30,
    rows: 4,
  });
  assert.deepEqual(said('sessions'), {
    name: 'sessions',
    setting: 'RETENTION_SIGN_INS_DAYS',
    rows: 0,
  });
  assert.equal(await mails(), 5);
  const { code, out } = await runCommand(['retention'], {
    env: { ...env, RETENTION_MAIL_DAYS: '70' },
  });
  assert.equal(code, 0);
  assert.match(out, /sent mail +RETENTION_MAIL_DAYS +70 days +2\n/);
  assert.equal(await mails(), 3);
});
