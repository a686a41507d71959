import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startHarness } from '../testing/harness/harness.ts';
import { sql } from './sql.ts';

// What keeps the way to several databases open (docs/scale.md).

const { db } = await startHarness();

/** Rows of these belong to no one: the same on every database, or about the database itself. */
const OF_NO_ONE = [
  'billing_mode',
  'role',
  'database_timeline', // a mark for the database itself
  'schema_migration',
  'schema_view',
  'task_worker',
  'hourly_work',
  'retention_work',
  'last_ledger_audit',
  'balance_fetch',
  'oauth_client', // a program, which people let in by connections
  'push_key',
  'repository_folder',
  'invoice_issuer',
  'invoice_counter',
];
/** These lead there without a column of their own. */
const OTHERWISE = [
  'app_user', // is the person
  'billing_details', // its key is that of its account
  'check_log', // its key is that of its check
  'check_run', // names its suite, which has the task
  'deploy_log', // its key is that of its deploy, which has the project
  'erp_instance_log', // its key is that of its instance, which has the task
  'erp_instance_mail', // names the instance
  'github_delivery', // names an installation
  'github_installation', // its connections have the workspaces and people
  'github_rate_limit', // its key is that of the installation
  'gitea_webhook', // its key is that of its repository, which has the project
  'file_removal', // its key begins with the project
  'mail', // names the invitation that it is about
  'oauth_connection', // its key is an API key, which has the person
  'outbox', // its key and payload name the object
  'passkey_challenge', // its session has the person; one to sign in belongs to no one yet
  'pod_log', // its key is that of its pod, which has the task
  'processor_event', // by the processor's id of the intent, which its top-up has
  'webhook_queue', // its key is that of its webhook
  'sandbox_intent', // stands for the card processor, which is a system of its own
  'sandbox_refund',
  'sandbox_setup',
];

test('every row leads to a workspace, a project, a person or an account: by a column, or by the key of what it is part of', async () => {
  const tables = await db.many<{ name: string; columns: string[] }>(sql`
    select c.relname::text as name, array_agg(a.attname::text) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0
       and not a.attisdropped
     group by 1 order by 1`);
  const leads =
    /^(organization_id|user_id|owner_user_id|account_id|project_id|task_id|top_up_id|team_id|actor_user_id)$/;
  const without = tables
    .filter(
      ({ name, columns }) =>
        ![...OF_NO_ONE, ...OTHERWISE].includes(name) &&
        !columns.some((column) => leads.test(column)),
    )
    .map(({ name }) => name);
  assert.deepEqual(without, []);
});

test('no sequence hands out ids: two databases never make the same one', async () => {
  // Extensions may have sequences of their own, in their schema or in this one.
  const sequences = await db.many(sql`
    select relname::text from pg_class
     where relkind = 'S' and relnamespace = 'public'::regnamespace
       and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')`);
  assert.deepEqual(sequences, []);
});

test('nothing that answers requests locks by advice or listens: a pooler in transaction mode may stand between', async () => {
  const files: string[] = [];
  for await (const file of glob('**/*.ts', { cwd: join(import.meta.dirname, '..') }))
    files.push(file);
  const serving = files.filter(
    (file) => !/\.test\.ts$|^testing\/|^db\/migrate[./]|^db\/dump-schema\.ts$/.test(file),
  );
  assert.ok(serving.length > 50);
  for (const file of serving) {
    const text = await readFile(join(import.meta.dirname, '..', file), 'utf8');
    assert.doesNotMatch(text, /pg_(try_)?advisory|`\s*(listen|notify) /i, file);
  }
});
