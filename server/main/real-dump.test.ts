import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { branchOf, gitDirOf } from '../code/repositories/git.ts';
import { openDump } from '../erp/dumps/open-dump.ts';
import { commandDriver } from '../erp/instances/command-driver.ts';
import type { InstanceDriver, InstanceSpec } from '../erp/instances/instance-driver.ts';
import { isReady } from '../erp/instances/ready.ts';
import { addressOf, gitIn } from '../testing/fixtures/code/git-client.ts';
import { specOf } from '../testing/fixtures/erp/instances.ts';
import {
  odooProgram,
  odooTemplate,
  odooVersion,
  withoutOdoo,
} from '../testing/fixtures/erp/real-odoo.ts';
import { zipOf } from '../testing/fixtures/erp/zips.ts';
import { taskServers } from '../testing/fixtures/runner/task-servers.ts';
import { folderOfProcess } from '../testing/harness/folder-of-process.ts';
import { until } from '../testing/harness/until.ts';

/**
 * The whole road of a dump with a real Odoo: a backup that Odoo has made of a database like one of
 * production is uploaded, prepared and neutralised, whatever its SQL tries, and an agent reads a record
 * of it in the Odoo of its task.
 */

const MINUTES = 60_000;
const RECORD = '0 A customer of production';
const MARK = `guildhall-evil-${randomUUID().slice(0, 8)}`;

/** A module of the company, which says itself what neutral means for it. */
const MODULE: Record<string, string> = {
  '.guildhall.yml': 'odoo:\n  modules: [books]\n',
  'books/__manifest__.py':
    "{'name': 'Books', 'version': '1.0', 'depends': ['base'], 'license': 'LGPL-3'}\n",
  'books/__init__.py': 'from . import models\n',
  'books/models/__init__.py': 'from . import book\n',
  'books/models/book.py': `from odoo import fields, models


class Book(models.Model):
    _name = 'books.book'
    _description = 'Book'

    name = fields.Char(required=True)
    token = fields.Char()
`,
};
const NEUTRAL = { 'books/data/neutralize.sql': 'update books_book set token = null;\n' };
const WITH_PRICE = {
  'books/models/book.py': `${MODULE['books/models/book.py']}    price = fields.Integer(default=7)\n`,
};

async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

/** What a company would not want to run twice, and what only a company itself may know. */
const PRODUCTION = `
# Incoming mails are a module of their own before 17.
env['ir.module.module'].search([('name', 'in', ['mail', 'fetchmail', 'auth_totp'])]).button_immediate_install()
env = env(user=2)
env['res.partner'].create({'name': '${RECORD}'})
env['books.book'].sudo().create({'name': 'Kept', 'token': 'of a real shop'})
env['ir.mail_server'].create({'name': 'Real', 'smtp_host': 'smtp.example.com'})
env['fetchmail.server'].create({'name': 'Real', 'server': 'imap.example.com', 'server_type': 'imap',
    'user': 'a', 'password': 'b', 'state': 'done', 'active': True})
env['ir.config_parameter'].set_param('ir_attachment.location', 'file')
env['ir.attachment'].create({'name': 'contract.txt', 'raw': b'signed by both'})
env['res.users'].create({'name': 'Ada', 'login': 'ada@example.com', 'password': 'of production'})
env.cr.execute("update res_users set totp_secret = 'JBSWY3DPEHPK3PXP' where login = 'ada@example.com'")
env.cr.execute("update res_users set login = 'boss@example.com' where login = 'admin'")
env.cr.execute("update ir_cron set active = true")
env.cr.commit()
from odoo.tools import config
import io
config['list_db'] = True
from odoo.service.db import dump_db
stream = io.BytesIO()
dump_db(env.cr.dbname, stream, 'zip')
env.cr.execute('create table guildhall_backup (bytes bytea)')
env.cr.execute('insert into guildhall_backup values (%s)', [stream.getvalue()])
env.cr.execute('grant select on guildhall_backup to public')
env.cr.commit()
print('backed up', len(stream.getvalue()))
`;

/** What only the sandbox and the rights of its role keep it from. */
const EVIL = `
\\! echo > /tmp/${MARK}-1; echo > "$HOME/../../${MARK}"
\\copy (select 1) to program 'read line; echo > /tmp/${MARK}-2'
\\o |echo > /tmp/${MARK}-3
\\o /dev/null
copy (select 1) to program 'touch /tmp/${MARK}-4';
copy pg_catalog.pg_class to '/tmp/${MARK}-5';
alter role current_user superuser;
create role ${MARK.replaceAll('-', '_')} superuser;
create event trigger evil on ddl_command_end execute function pg_catalog.pg_notify();
create function public.evil() returns text language sql security definer as 'select current_user::text';
\\set seen \`python3 -c "import os; print(*os.environ, *[f'{at}: {os.listdir(at)}' for at in ('/', '/root', '/home', '/work', '/tmp') if os.path.exists(at)], os.path.exists('/etc/shadow'))" 2>&1\`
\\set net \`python3 -c "import socket; socket.create_connection(('1.1.1.1', 443), 5)" 2>&1\`
create table public.evil as select :'seen'::text as seen, :'net'::text as net, public.evil() as who;
`;

/** What the database of an instance holds, as its Odoo sees it. */
const FACTS = `
import json
env.cr.execute('select seen, net, who from evil')
seen, net, who = env.cr.fetchone()
count = lambda query: (env.cr.execute('select count(*) from ' + query), env.cr.fetchone()[0])[1]
print('FACTS' + json.dumps({
    'neutralized': env['ir.config_parameter'].get_param('database.is_neutralized'),
    'crons': count('ir_cron where active'), 'crons_in_all': count('ir_cron'),
    'servers': count('ir_mail_server where active'), 'servers_in_all': count('ir_mail_server'),
    'fetched': count('fetchmail_server where active'),
    'passwords': count("res_users where password is not null and login <> 'admin'"),
    'factors': count('res_users where totp_secret is not null'),
    'keys': count("res_users_apikeys where name <> 'Guildhall'"),
    'admin': env.ref('base.user_admin').login,
    'users': count("res_users where login = 'ada@example.com'"),
    'attachment': env['ir.attachment'].search([('name', '=', 'contract.txt')]).raw.decode(),
    'books': env['books.book'].search_read([], ['name', 'token', 'price'], load=None),
    'seen': seen, 'net': net, 'who': who}))
`;

/** Runs an Odoo of its own, gives it what production has, and returns the backup that Odoo makes. */
async function backupOfProduction(t: Pick<TestContext, 'after'>): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-odoo-'));
  await chmod(directory, 0o755);
  const driver = commandDriver({ directory, programs: [odooProgram()] });
  const modules = { books: '1' };
  const code = { commit: '1'.repeat(40), folder: '', addons: ['.'], modules };
  const spec = specOf(randomUUID(), {
    erpVersion: odooVersion,
    password: randomBytes(24).toString('base64url'),
    code: {
      order: { project: '', demo: false, code },
      fill: (_, folder) => writeFiles(folder, MODULE),
    },
  });
  t.after(async () => {
    await driver.destroy(spec.id);
    await rm(directory, { recursive: true });
  });
  await driver.create(spec);
  await driver.start(spec);
  const url = (await driver.url(spec.id)) ?? '';
  await until('it is ready', () => isReady(url, spec), 30 * MINUTES);
  assert.match(await inShell(driver, spec, PRODUCTION), /backed up \d+/);
  const client = new pg.Client({ database: spec.database });
  await client.connect();
  const { rows } = await client.query('select bytes from guildhall_backup');
  await client.end();
  return rows[0]?.bytes ?? assert.fail('no backup');
}

async function inShell(driver: InstanceDriver, spec: InstanceSpec, script: string) {
  const { signal } = new AbortController();
  const ended = await driver.run?.(spec, { what: 'shell', script }, { signal });
  const { code, log = '' } = ended ?? {};
  assert.equal(code, 0, log);
  return log;
}

/** A backup with another dump.sql. */
async function changed(backup: Buffer, change: (text: string) => string): Promise<Buffer> {
  const open = (start: number, end: number) => Readable.from([backup.subarray(start, end + 1)]);
  const dump = await openDump(open, { size: backup.length, mostUnpacked: 1e9 });
  const entries = [];
  for await (const file of dump.files()) {
    const data = await buffer(await file.open());
    const isSql = file.name === 'dump.sql';
    entries.push({ name: file.name, data: isSql ? change(data.toString('utf8')) : data });
  }
  return zipOf(entries);
}

test('a dump of a real Odoo is neutralised, whatever its SQL tries, and a task works on it', {
  skip: withoutOdoo,
}, async (t) => {
  const backup = await backupOfProduction(t);
  const catalog = join(await folderOfProcess('guildhall-catalog-'), 'catalog.json');
  const programs = [odooProgram()];
  await writeFile(catalog, JSON.stringify({ erp_programs: programs }));
  const tasks = await taskServers();
  const server = await tasks.serve([], {
    GUILDHALL_CATALOG: catalog,
    ERP_INSTANCES: 'command',
    ERP_INSTANCES_START_SEC: '1800',
  });
  const warnings: string[] = [];
  server.child.stderr?.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().split('\n'))
      if (/"level":[45]0/.test(line)) warnings.push(line);
  });
  const call = <Answer>(method: string, path: string, body?: object) =>
    tasks.call<Answer>(server, method, path, body);
  const project = await call<{ id: string }>('POST', 'projects', {
    name: 'Books',
    organization_id: tasks.workspace,
    erp_version: odooVersion,
    erp_edition: 'community',
  });
  const clone = join(await folderOfProcess('guildhall-books-'), 'clone');
  await mkdir(clone);
  const git = async (...args: string[]) => {
    const { ok, text } = await gitIn(clone, ...args);
    assert.ok(ok, text);
    return text.trim();
  };
  await git('clone', '--quiet', addressOf(server.url, project.id, tasks.owner.key), '.');
  await writeFiles(clone, { ...MODULE, ...NEUTRAL, ...WITH_PRICE });
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'A module with a price');
  await git('push', '--quiet', 'origin', 'HEAD');
  interface Dump {
    id: string;
    status: string;
    reason?: string;
    created_at: string;
    prepared_at?: string;
  }
  const place = `projects/${project.id}/odoo-dump`;
  const dump = () => call<Dump>('GET', place);
  async function upload(bytes: Buffer): Promise<void> {
    const answer = await fetch(
      `${server.url}/api/${place}?production=true&approve_production=true`,
      {
        method: 'PUT',
        headers: { authorization: `Bearer ${tasks.owner.key}` },
        body: bytes as never,
      },
    );
    assert.equal(answer.status, 201, await answer.text());
  }
  const decided = async (): Promise<Dump> => {
    await until(
      'the dump is decided',
      async () => (await dump()).status !== 'preparing',
      15 * MINUTES,
    );
    return dump();
  };

  await t.test(
    'what could leave something on, or is not whole, is refused with a reason',
    async () => {
      const trigger = `
      create function public.on_again() returns trigger language plpgsql as
        'begin new.active = true; return new; end';
      create trigger on_again before update on public.ir_cron
        for each row execute function public.on_again();`;
      const other = `\\connect ${odooTemplate}\n`;
      for (const [change, reason] of [
        [(text: string) => text + trigger, /not neutralised\. Scheduled actions are still on/],
        [(text: string) => other + text, /could not be restored/],
        [(text: string) => text.slice(0, -text.length / 3), /could not be restored/],
        [
          (text: string) => `${text}\nselect no_such_function();`,
          /no_such_function\(\) does not exist/,
        ],
        [() => 'select 1;', /no database of Odoo/],
      ] as const) {
        await upload(await changed(backup, change));
        const { status, reason: said = '' } = await decided();
        assert.equal(status, 'failed', said);
        assert.match(said, reason);
      }
    },
  );

  const [head = '', ...rest] = (await changedText(backup)).split('\n\n');
  await upload(await changed(backup, () => [head, EVIL, ...rest, EVIL_AGAIN].join('\n\n')));
  const { status, reason, created_at, prepared_at = '', id: dumpId } = await decided();
  assert.equal(status, 'ready', `${reason} ${warnings.join('')}`);
  const seconds = (Date.parse(prepared_at) - Date.parse(created_at)) / 1_000;

  const { id } = await call<{ id: string }>('POST', `projects/${project.id}/tasks`, {
    message: 'Write a.md [[erp]]',
  });
  interface Instance {
    id: string;
    status: string;
    reason?: string;
    data?: string;
    commit_sha?: string;
    problem?: string;
    database: string;
  }
  const instance = () => call<Instance>('GET', `tasks/${id}/odoo-instance`);
  // What is committed meanwhile would start the instance again.
  await tasks.untilStatus(id, 'awaiting_approval');
  const begun = performance.now();
  await call('POST', `tasks/${id}/odoo-instance`);
  await until(
    'the instance is ready',
    async () => {
      const { status, reason } = await instance();
      assert.notEqual(status, 'failed', `${reason} ${warnings.join('')}`);
      return status === 'running';
    },
    10 * MINUTES,
  );
  const ready = (performance.now() - begun) / 1_000;
  const { data, database, id: instanceId, commit_sha, problem } = await instance();
  assert.deepEqual(
    [data, commit_sha, problem],
    ['dump', await git('rev-parse', 'HEAD'), undefined],
  );

  const driver = commandDriver({ directory: join(tasks.dataDir, 'erp-instances'), programs });
  const spec = specOf(instanceId, {
    erpVersion: odooVersion,
    database,
    password: randomUUID(),
  });
  const said = await inShell(driver, spec, FACTS);
  const facts = JSON.parse(/FACTS(.*)/.exec(said)?.[1] ?? assert.fail(said));
  assert.ok(facts.crons_in_all > 5 && facts.servers_in_all >= 2);
  const { seen, net, who, crons_in_all, servers_in_all, ...neutral } = facts;
  assert.deepEqual(neutral, {
    neutralized: 'true',
    crons: 0,
    servers: 0,
    fetched: 0,
    passwords: 0,
    factors: 0,
    keys: 0,
    admin: 'admin',
    users: 1,
    attachment: 'signed by both',
    books: [{ id: 1, name: 'Kept', token: false, price: 7 }],
  });
  assert.equal(who, `guildhall_dump_${dumpId.replaceAll('-', '')}`);
  assert.match(net, /Network is unreachable/);
  assert.match(seen, /PGUSER/);
  assert.doesNotMatch(seen, /GUILDHALL|PGPASSFILE|PGDATA|erp-instances|'slice'|guildhall-tasks/);
  for (const n of [1, 2, 3, 4, 5]) await assert.rejects(stat(`/tmp/${MARK}-${n}`));
  const client = new pg.Client({ database: 'postgres' });
  await client.connect();
  const atWork = await client.query(
    `select datname from pg_stat_activity where starts_with(usename, 'guildhall_dump_')`,
  );
  assert.deepEqual(atWork.rows, []);
  const { rows } = await client.query(
    `select rolname, rolsuper from pg_roles where rolname like 'guildhall%'
       and (rolsuper or rolcreatedb or rolcreaterole) or rolname like 'guildhall_evil%'`,
  );
  assert.deepEqual(rows, []);

  await t.test(
    'the agent of the task reads a record of production through the gateway',
    async () => {
      await tasks.untilStatus(id, 'awaiting_approval');
      await call('POST', `tasks/${id}/plan/approve`);
      await tasks.untilStatus(id, 'ready');
      const gitDir = gitDirOf(join(tasks.dataDir, 'repositories'), project.id);
      const { text } = await gitIn(gitDir, 'show', `${branchOf(id)}:erp.md`);
      assert.match(
        text,
        new RegExp(
          `^- instance .*: Odoo ${odooVersion.replace('.', '\\.')}.*, the partner ${RECORD}$`,
          'm',
        ),
      );
    },
  );
  t.diagnostic(
    `a backup of ${(backup.length / 1e6).toFixed(1)} MB was prepared after ${seconds.toFixed(1)} s; ` +
      `an instance was ready after ${ready.toFixed(1)} s`,
  );

  await t.test('what was prepared goes with the dump; a copy that runs is its own', async () => {
    const headers = { authorization: `Bearer ${tasks.owner.key}` };
    const gone = await fetch(`${server.url}/api/${place}`, { method: 'DELETE', headers });
    assert.equal(gone.status, 204);
    await until(
      'its database is gone',
      async () => {
        const left = await client.query(
          `select from pg_database where datname like 'guildhall_dump_%'`,
        );
        return left.rowCount === 0;
      },
      5 * MINUTES,
    );
    assert.match(await inShell(driver, spec, "print(env['res.partner'].search_count([]))"), /\d/);
  });
  await call('DELETE', `tasks/${id}/odoo-instance`);
  await until(
    'nothing of it is left in PostgreSQL',
    async () => {
      const { rowCount } = await client.query(
        `select from pg_roles where rolname like 'guildhall_dump_%' or rolname = $1
         union all select from pg_database where datname = $1`,
        [database],
      );
      return rowCount === 0;
    },
    5 * MINUTES,
  );
  await client.end();
  server.child.kill('SIGTERM');
  await once(server.child, 'exit');
});

/** At the end: what the tables of Odoo are there for. */
const EVIL_AGAIN = `
update public.ir_cron set active = true;
\\! echo > /tmp/${MARK}-1
\\setenv NAME :DBNAME
\\! psql -d "$NAME" -c 'do $on$ begin loop update public.ir_cron set active = true; commit; end loop; end $on$' > /dev/null 2>&1 &
\\! psql -d postgres -c 'select pg_sleep(1e9)' > /dev/null 2>&1 &
select pg_sleep(2);
`;

async function changedText(backup: Buffer): Promise<string> {
  let text = '';
  await changed(backup, (sql) => {
    text = sql;
    return sql;
  });
  return text;
}
