import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakeOdoo } from '../../../testing/fakes/fake-odoo/server.ts';
import { readErp } from './erp.ts';

/**
 * What the sandbox agent reads. It speaks to the fake Odoo itself here, without the gateway,
 * whose token takes the place of the password.
 */

const odoo = await startFakeOdoo({ version: '19.0', databases: ['shop'] });
after(odoo.close);

const entry = (kind: string, protocols: string[], url = odoo.url) => ({
  id: 'x',
  name: `the ${kind}`,
  kind,
  url,
  database: 'shop',
  login: 'admin',
  protocols,
});
const env = (token: string, ...erps: object[]) => ({
  GUILDHALL_ERP: JSON.stringify(erps),
  GUILDHALL_ERP_TOKEN: token,
});

test('it reads from the instance, although a connection is listed before', async () => {
  const none = entry('connection', ['json2'], 'http://127.0.0.1:1');
  const password = odoo.password('admin');
  const { file, sentence } = await readErp(
    env(password, none, entry('instance', ['xmlrpc', 'jsonrpc'])),
  );
  assert.match(file ?? '', /^- instance the instance: Odoo 19\.0[^,]*, the partner .+\n$/);
  assert.match(sentence, /^I have read from the instance the instance: Odoo 19\.0/);
  assert.ok(!sentence.includes(password));
});

test('it reads from a connection by JSON-2', async () => {
  const { file } = await readErp(env(odoo.key('admin'), entry('connection', ['json2'])));
  assert.match(file ?? '', /^- connection the connection: Odoo 19\.0/);
  assert.ok(odoo.requests.some(({ path }) => path === '/json/2/res.partner/search_read'));
});

test('without an ERP system it says so; what is refused is an error', async () => {
  assert.deepEqual(await readErp({}), {
    file: undefined,
    sentence: 'There is no ERP system that I may use.',
  });
  const wrong = readErp(env('wrong', entry('connection', ['json2'])));
  await assert.rejects(wrong, /the connection answered 401/);
});
