import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { addressOf, gitIn } from '../testing/fixtures/code/git-client.ts';
import {
  odooMajor,
  odooProgram,
  odooVersion,
  withoutOdoo,
} from '../testing/fixtures/erp/real-odoo.ts';
import { taskServers } from '../testing/fixtures/runner/task-servers.ts';
import { folderOfProcess } from '../testing/harness/folder-of-process.ts';
import { until } from '../testing/harness/until.ts';
import { freePort } from '../testing/processes/programs.ts';

/**
 * The whole road with a real Odoo: a real module with a failing test becomes a green check and a
 * merge, is installed in the throwaway Odoo of its task in between, and that of the second task is
 * ready in a part of the time.
 */

const MINUTES = 60_000;
const MODULE: Record<string, string> = {
  '.guildhall.yml': 'odoo:\n  modules: [books]\n  test_tags: /books\n',
  'books/__manifest__.py':
    "{'name': 'Books', 'version': '1.0', 'depends': ['sale'], 'license': 'LGPL-3',\n" +
    " 'data': ['security/ir.model.access.csv']}\n",
  'books/__init__.py': 'from . import models\n',
  'books/models/__init__.py': 'from . import book\n',
  'books/models/book.py': `from email.message import EmailMessage

from odoo import api, fields, models
from odoo.tools.misc import file_open


class Book(models.Model):
    _name = 'books.book'
    _description = 'Book'

    name = fields.Char(required=True)

    @api.model
    def offer(self):
        mail = EmailMessage()
        mail['From'], mail['To'], mail['Subject'] = 'a@example.com', 'b@example.com', 'Bücher'
        mail.set_content('<p>Two <b>books</b></p><script>x</script>', subtype='html')
        return self.env['ir.mail_server'].send_email(mail)

    @api.model
    def prices(self):
        with file_open('books/prices.txt') as prices:
            return prices.read()
`,
  'books/security/ir.model.access.csv':
    'id,name,model_id:id,group_id:id,perm_read,perm_write,perm_create,perm_unlink\n' +
    'books_book,books.book,model_books_book,base.group_user,1,1,1,1\n',
  'books/tests/__init__.py': 'from . import test_book\n',
  'books/tests/test_book.py': `from odoo.tests.common import TransactionCase


class TestBook(TransactionCase):
    def test_prices(self):
        self.assertIn('- ', self.env['books.book'].prices())
`,
};

interface Instance {
  status: string;
  database: string;
  commit_sha?: string;
  broken_sha?: string;
  problem?: string;
  reason?: string;
  url?: string;
}
interface Check {
  name: string;
  conclusion?: string;
  failures?: { test: string; file?: string; text: string }[];
}

type Browse = (path: string, body?: object) => ReturnType<typeof browse>;

/** Asks as a browser does that finds every name at this machine. */
function browse(
  port: number,
  { host, cookie = '' }: { host: string; cookie?: string },
  path: string,
  body?: object,
) {
  return new Promise<{ status: number | undefined; cookie: string; text: string }>(
    (resolve, reject) => {
      const sent = request(
        { host: '127.0.0.1', port, path, method: body === undefined ? 'GET' : 'POST' },
        async (got) => {
          const chunks: Buffer[] = [];
          for await (const chunk of got) chunks.push(chunk as Buffer);
          const given = (got.headers['set-cookie'] ?? []).map((each) => each.split(';', 1)[0]);
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: got.statusCode, cookie: given.join('; '), text });
        },
      );
      sent.setHeader('host', host);
      if (cookie !== '') sent.setHeader('cookie', cookie);
      if (body !== undefined) sent.setHeader('content-type', 'application/json');
      sent.once('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    },
  );
}

test('a module with a failing test becomes a green check and a merge, on a real Odoo', {
  skip: withoutOdoo,
}, async (t) => {
  const catalog = join(await folderOfProcess('guildhall-catalog-'), 'catalog.json');
  await writeFile(catalog, JSON.stringify({ erp_programs: [odooProgram()] }));
  const tasks = await taskServers();
  const entryPort = await freePort();
  const server = await tasks.serve([], {
    GUILDHALL_CATALOG: catalog,
    ERP_INSTANCES: 'command',
    ERP_INSTANCES_START_SEC: '1800',
    ERP_INSTANCES_URL: 'http://{id}.erp.test',
    ERP_INSTANCES_LISTEN: `127.0.0.1:${entryPort}`,
  });
  const warnings: string[] = [];
  server.child.stderr?.on('data', (chunk: Buffer) => {
    if (chunk.includes('ERP instance')) warnings.push(chunk.toString());
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
  const address = addressOf(server.url, project.id, tasks.owner.key);
  await git('clone', '--quiet', address, '.');
  for (const [name, content] of Object.entries(MODULE)) {
    await mkdir(dirname(join(clone, name)), { recursive: true });
    await writeFile(join(clone, name), content);
  }
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'A module with a failing test');
  await git('push', '--quiet', 'origin', 'HEAD');
  const base = await git('rev-parse', 'HEAD');

  const approve = async (id: string) => {
    await tasks.untilStatus(id, 'awaiting_approval');
    await call('POST', `tasks/${id}/plan/approve`);
    await tasks.untilStatus(id, 'ready');
  };
  const instanceOf = (id: string) => call<Instance>('GET', `tasks/${id}/odoo-instance`);
  const readyWithin = async (id: string): Promise<number> => {
    const begun = performance.now();
    await call('POST', `tasks/${id}/odoo-instance`);
    await until(
      'the instance is ready',
      async () => {
        const { status, reason } = await instanceOf(id);
        assert.notEqual(status, 'failed', `${reason} ${warnings.join('')}`);
        return status === 'running';
      },
      30 * MINUTES,
    );
    return (performance.now() - begun) / 1_000;
  };
  const runs = (id: string, what: 'commit_sha' | 'broken_sha', sha: string) =>
    until(`its ${what} is ${sha}`, async () => (await instanceOf(id))[what] === sha, 15 * MINUTES);

  const { id } = await call<{ id: string }>('POST', `projects/${project.id}/tasks`, {
    message: 'Write books/notes.txt',
  });
  const first = await readyWithin(id);
  await runs(id, 'commit_sha', base);
  await approve(id);
  const { head_sha: red } = await call<{ head_sha: string }>('POST', `tasks/${id}/pull-request`);
  const pull = () =>
    call<{ head_sha: string; checks: { state: string } }>('GET', `tasks/${id}/pull-request`);
  const checked = (state: string) =>
    until(
      `the checks are ${state}`,
      async () => (await pull()).checks.state === state,
      30 * MINUTES,
    );
  await checked('failed');
  const [check] = await call<Check[]>('GET', `tasks/${id}/pull-request/checks`);
  assert.deepEqual([check?.name, check?.conclusion], ['Odoo tests', 'failure']);
  const [failure] = check?.failures ?? [];
  assert.equal(failure?.test, 'TestBook.test_prices');
  assert.match(failure?.file ?? '', /^books\/(tests\/test_book|models\/book)\.py:\d+$/);
  assert.match(failure?.text ?? '', /FileNotFoundError/);
  await runs(id, 'commit_sha', red);

  // The plan was approved: the agent goes on at once.
  await call('POST', `tasks/${id}/messages`, { text: 'Write books/prices.txt' });
  await until('the branch has moved', async () => (await pull()).head_sha !== red, MINUTES);
  const { head_sha: green } = await pull();
  await checked('passed');
  await runs(id, 'commit_sha', green);

  await t.test(
    'a person opens the instance with the module, sends a mail that is caught, and resets it',
    async () => {
      const { database, commit_sha } = await instanceOf(id);
      assert.deepEqual([commit_sha, database.startsWith('guildhall_')], [green, true]);
      const opened = async (): Promise<Browse> => {
        const { url } = await call<{ url: string }>('POST', `tasks/${id}/odoo-instance/open`);
        const { host, pathname, search } = new URL(url);
        const { status, cookie } = await browse(entryPort, { host }, pathname + search);
        assert.equal(status, 303);
        return (path, body) => browse(entryPort, { host, cookie }, path, body);
      };
      const ask = async (as: Browse, model: string, method: string, ...args: unknown[]) => {
        const params = { model, method, args, kwargs: {} };
        const { text } = await as(`/web/dataset/call_kw/${model}/${method}`, { params });
        return (JSON.parse(text) as { result?: unknown }).result;
      };
      const first = await opened();
      const page = await first(odooMajor < 18 ? '/web' : '/odoo');
      assert.equal(page.status, 200);
      assert.match(page.text, /<title>Odoo<\/title>/);
      assert.ok(await ask(first, 'books.book', 'create', [{ name: 'Kept' }]));
      await ask(first, 'books.book', 'offer');
      type Mail = { subject: string; text: string; recipients: string[] };
      const mails = () => call<Mail[]>('GET', `tasks/${id}/odoo-instance/mails`);
      await until('its mail is caught', async () => (await mails()).length > 0, 5 * MINUTES);
      const [mail] = await mails();
      assert.deepEqual(
        [mail?.subject, mail?.text, mail?.recipients],
        ['Bücher', 'Two books', ['b@example.com']],
      );
      const log = await call<{ text: string }>('GET', `tasks/${id}/odoo-instance/log`);
      assert.match(log.text, /odoo/);
      const again = async (how: 'restart' | 'reset'): Promise<unknown> => {
        await call('POST', `tasks/${id}/odoo-instance/${how}`);
        const running = async () => (await instanceOf(id)).status === 'running';
        await until(`it runs after a ${how}`, running, 30 * MINUTES);
        return ask(await opened(), 'books.book', 'search_count', []);
      };
      assert.equal(await again('restart'), 1);
      assert.equal(await again('reset'), 0);
    },
  );

  await call('POST', `tasks/${id}/merge`, { expected_head_sha: green });
  const merge = () => call<{ state: string }>('GET', `tasks/${id}/merge`);
  await until('merged', async () => (await merge()).state === 'merged', MINUTES);

  const second = await call<{ id: string }>('POST', `projects/${project.id}/tasks`, {
    message: 'Write books/more.txt',
  });
  // The branch that it begins with has moved: what is kept of it is brought up to date, once.
  const updated = await readyWithin(second.id);
  const third = await call<{ id: string }>('POST', `projects/${project.id}/tasks`, {
    message: 'Write books/other.txt',
  });
  const copied = await readyWithin(third.id);
  t.diagnostic(
    `ready after ${first.toFixed(1)} s, ${updated.toFixed(1)} s after a merge, and ` +
      `${copied.toFixed(1)} s from what is kept`,
  );

  await t.test('a module that cannot be installed is told with its traceback', async () => {
    await tasks.untilStatus(third.id, 'awaiting_approval');
    await git('fetch', '--quiet', 'origin');
    const branch = `task/${third.id.slice(0, 8)}`;
    await git('checkout', '--quiet', '-b', branch, 'origin/HEAD');
    await writeFile(join(clone, 'books/models/book.py'), 'import nothing_like_this\n');
    await git('commit', '--quiet', '--all', '--message', 'Broken');
    await git('push', '--quiet', 'origin', branch);
    await runs(third.id, 'broken_sha', await git('rev-parse', 'HEAD'));
    const { status, problem = '' } = await instanceOf(third.id);
    assert.equal(status, 'running');
    assert.match(problem, /Traceback[\s\S]*No module named 'nothing_like_this'/);
  });
  for (const each of [id, second.id, third.id]) {
    await call('DELETE', `tasks/${each}/odoo-instance`);
    await until(
      'it is gone',
      async () =>
        (await call<{ data: unknown }>('GET', `tasks/${each}/odoo-instance`).catch(
          () => undefined,
        )) === undefined,
      2 * MINUTES,
    );
  }
  server.child.kill('SIGTERM');
  await once(server.child, 'exit');
});
