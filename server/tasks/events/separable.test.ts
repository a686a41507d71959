import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { dumpSchema } from '../../db/dump-schema.ts';
import { cloneDatabase } from '../../testing/database/database.ts';
import { migrationsForTests } from '../../testing/database/migrations.ts';
import { watchStatements } from '../../testing/database/statements.ts';
import { migrateEventLog } from './migrate-event-log.ts';
import { openTaskEvents } from './task-events.ts';

// What lets the log be in databases of its own, also in distributed ones (docs/scale.md).

const { emptyDatabase } = await migrationsForTests();
const TABLES = ['task_log', 'task_event'];
const clone = await cloneDatabase();
const client = new pg.Client(clone.url);
await client.connect();
after(async () => {
  await client.end();
  await clone.drop();
});

const count = async (text: string) =>
  (await client.query(`select count(*)::int as n from ${text}`, [TABLES])).rows[0].n;

test('the tables have no foreign key, trigger, sequence or generated id', async () => {
  const classes = 'any(select oid from pg_class where relname = any($1))';
  for (const text of [
    `pg_constraint where contype = 'f' and (conrelid = ${classes} or confrelid = ${classes})`,
    `pg_trigger where tgrelid = ${classes}`,
    `pg_attribute where attrelid = ${classes} and attnum > 0
       and (attidentity <> '' or attgenerated <> '')`,
    `pg_attrdef where adrelid = ${classes} and pg_get_expr(adbin, adrelid) ~ 'nextval|uuid'`,
  ])
    assert.equal(await count(text), 0, text);
  const { rows } = await client.query(
    `select i.indrelid::regclass::text as name, pg_get_indexdef(indexrelid) as index
       from pg_index i where indrelid = ${classes} order by 1`,
    [TABLES],
  );
  assert.deepEqual(
    rows.map(({ index }) => index.replace(/^.* USING /, '')),
    ['btree (task_id, seq)', 'btree (task_id)'],
  );
});

test('events cannot be changed: the server may insert and delete them, and nothing else', async () => {
  const { rows } = await client.query(
    `select privilege_type as may from information_schema.role_table_grants
      where table_name = 'task_event' and grantee = 'guildhall_app' order by 1`,
  );
  assert.deepEqual(
    rows.map(({ may }) => may),
    ['DELETE', 'INSERT', 'SELECT'],
  );
});

test('a database of its own has the same tables as the core', async () => {
  const url = await emptyDatabase();
  await migrateEventLog(url);
  const [own, core] = [await dumpSchema(url), await dumpSchema(clone.url)];
  for (const table of TABLES) {
    const pattern = new RegExp(`create table ${table} [\\s\\S]*?\\n\\n`, 'i');
    const [text] = pattern.exec(own) ?? [];
    assert.ok(text, own);
    assert.ok(core.includes(text), text);
  }
});

test('every statement of the log is one of its own, names its tasks, and no other table', async () => {
  const sent: string[] = [];
  const events = openTaskEvents({ url: clone.url });
  watchStatements(({ text }) => sent.push(text));
  const task = randomUUID();
  await events.log.acquire(task, 1n, 'one');
  const stream = await events.stream(task, 0);
  for (let i = 0; i < 3; i++) await events.log.append(task, 1n, [{ type: 'notice', payload: i }]);
  await events.log.read(task, 0, 1);
  await new Promise((resolve) => setTimeout(resolve, 250));
  for await (const page of events.log.kept(10)) await events.log.forget(page);
  await events.log.remove([task]);
  stream?.stop();
  await events.close();
  watchStatements(() => {});
  const texts = new Set(sent);
  assert.ok(texts.size >= 8, [...texts].join('\n---\n'));
  for (const text of texts) {
    assert.match(
      text,
      /\btask_id (= \$|= any\(\$|> \$)|\(task_id, fence, owner\)|unnest\(\$/,
      text,
    );
    const tables = [...text.matchAll(/\b(?:from|join|update|into|using) (\w+)/g)]
      .map(([, name]) => name as string)
      .filter((name) => !['unnest', 'moved', 'deleted', 'set', 'm'].includes(name));
    for (const name of tables) assert.ok(TABLES.includes(name), `${name}: ${text}`);
    assert.doesNotMatch(text, /\bfor (no key )?update\b|skip locked|^(begin|commit)/i, text);
  }
});

test('no other code asks these tables anything', async () => {
  const server = join(import.meta.dirname, '../..');
  for await (const file of glob('**/*.ts', { cwd: server })) {
    if (/^tasks\/events\/|\.test\.ts$|^testing\//.test(file)) continue;
    const text = await readFile(join(server, file), 'utf8');
    assert.doesNotMatch(text, /\b(from|join|into|update) task_(log|event)\b/, file);
  }
});
