import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeErpGateway } from '../../testing/fixtures/erp/erp-gateway.ts';
import { decodeAnswer, encodeCall, type Value } from '../odoo/xml-rpc.ts';
import { guardFor } from './guard.ts';
import { guarded, type Schema } from './guarded-call.ts';
import { permitted } from './permit.ts';
import { Refusal } from './refusal.ts';

// What agents do not see and do not change, whatever the user of the credential may do.

const KNOWN: Schema = {
  'res.partner': {
    name: { type: 'char' },
    user_ids: { type: 'one2many', relation: 'res.users' },
    parent_id: { type: 'many2one', relation: 'res.partner' },
    signup_token: { type: 'char' },
    task_ids: { type: 'one2many', relation: 'project.task' },
    document: { type: 'reference' },
    properties: { type: 'properties' },
  },
  'res.users': {
    login: { type: 'char' },
    partner_id: { type: 'many2one', relation: 'res.partner' },
    api_ids: { type: 'one2many', relation: 'res.users.apikeys' },
    groups: { type: 'many2many', relation: 'res.groups' },
  },
  'res.groups': { rules: { type: 'many2many', relation: 'ir.rule' } },
  'project.task': {
    user_ids: { type: 'many2many', relation: 'res.users' },
    server_id: { type: 'many2one', relation: 'ir.mail_server' },
    order: { type: 'many2one', relation: 'res.users' },
  },
  'ir.attachment': { res_id: { type: 'many2one_reference' } },
  'res.company': { user_ids: { type: 'many2many', relation: 'res.users' } },
};

const tried = (
  model: string,
  method: string,
  args: Value[],
  { exceptions = [] as string[], access = 'write' as const, named = {} } = {},
) => permitted({ model, method, positional: args, named }, { access, exceptions }, KNOWN);

const refused = (...call: Parameters<typeof tried>) =>
  assert.throws(() => tried(...call), Refusal, JSON.stringify(call));

test('no protocol reaches a model that is hidden, by any method', async () => {
  const { send, json2, odoo, gateway } = await makeErpGateway({ exceptions: [], access: 'write' });
  for (const model of ['ir.config_parameter', 'ir.mail_server', 'payment.provider', 'mail.mail'])
    for (const method of ['search_read', 'read', 'fields_get', 'search_count', 'set_param']) {
      assert.equal((await json2(model, method)).status, 403, `${model} ${method}`);
      const args = ['main', 2, gateway.token, model, method, [[]]];
      const rpc = { method: 'call', params: { service: 'object', method: 'execute_kw', args } };
      const { error } = JSON.parse((await send({ path: '/jsonrpc', body: rpc })).text);
      assert.equal(error.code, 403);
      const body = encodeCall('execute_kw', args);
      assert.ok('fault' in decodeAnswer((await send({ path: '/xmlrpc/2/object', body })).text));
    }
  assert.equal(odoo.requests.length, 0);
});

test('an exception of the connection shows one model or field, and no other', async () => {
  const made = await makeErpGateway({ exceptions: ['ir.mail_server'] });
  const { text } = await made.json2('ir.mail_server', 'search_count', { domain: [] });
  assert.equal(made.odoo.requests.length, 1, text);
  assert.equal((await made.json2('ir.config_parameter', 'search_count')).status, 403);
  tried('res.partner', 'read', [[1], ['signup_token']], {
    exceptions: ['res.partner/signup_token'],
  });
  refused('res.partner', 'read', [[1], ['signup_token']], { exceptions: ['res.partner'] });
});

test('a read without fields names those that agents see', async () => {
  const { json2, odoo } = await makeErpGateway({ exceptions: [] });
  const { status, text } = await json2('res.partner', 'search_read', { domain: [], limit: 1 });
  assert.equal(status, 200, text);
  const { fields } = JSON.parse(odoo.requests.at(-1)?.body ?? '{}');
  assert.ok(fields.includes('name'));
  assert.ok(fields.every((name: string) => !/password|token/.test(name)));
  assert.equal(JSON.parse(text).length, 1);
  const call = { model: 'res.partner', method: 'read', positional: [[1]], named: {} };
  const options = { guard: guardFor([]), reads: true, known: KNOWN };
  const made = guarded(call, options);
  assert.deepEqual('named' in made && made.named.fields, [
    'name',
    'user_ids',
    'parent_id',
    'task_ids',
    'document',
    'properties',
  ]);
});

test('a field that is hidden is found wherever it stands', () => {
  const hidden: [string, Value[], Record<string, Value>?][] = [
    ['read', [[1], ['name', 'password']]],
    ['search_read', [[['password', '=like', 'a%']]]],
    ['search_read', [['&', ['name', '=', 'x'], '|', ['user_ids.password', 'like', 'a'], []]]],
    ['search_read', [[['user_ids', 'any', [['password', '!=', false]]]]]],
    ['search_read', [[['user_ids', 'not any', ['|', ['api_ids.name', '=', 1], []]]]]],
    ['search', [[], 0, 1, 'name, password desc']],
    ['search', [[]], { order: 'signup_token' }],
    ['search_count', [], { domain: [['parent_id.user_ids.new_password', '=', 'x']] }],
    ['read_group', [[], ['password:max'], ['name']]],
    ['read_group', [[], ['x:max(password)'], ['name']]],
    ['read_group', [[], ['name'], ['user_ids.oauth_access_token']]],
    ['formatted_read_group', [[], ['password'], ['__count']]],
    ['web_read', [[1], { user_ids: { fields: { password: {} } } }]],
    ['web_read', [[1], { user_ids: { fields: { api_ids: { fields: { name: {} } } } } }]],
    ['web_search_read', [[]], { specification: { task_ids: { order: 'server_id.smtp_pass' } } }],
    ['name_search', ['x', [['signup_token', '=', 'x']]]],
    ['default_get', [['password']]],
    ['export_data', [[1], ['name', 'user_ids/password']]],
    ['export_data', [[1], ['task_ids/server_id/name']]],
    ['read', [[1], ['name', '=', 'password']]],
  ];
  for (const [method, args, named = {}] of hidden) refused('res.partner', method, args, { named });
});

test('a path that leads to a model that is hidden is refused; a name of a record is not one', () => {
  refused('res.partner', 'search', [[['user_ids.api_ids.name', 'like', 'a']]]);
  refused('project.task', 'search', [[['server_id.name', 'like', 'a']]]);
  refused('project.task', 'web_read', [[1], { server_id: { fields: { display_name: {} } } }]);
  tried('project.task', 'read', [[1], ['server_id']]);
  tried('res.partner', 'search', [
    [
      ['user_ids.login', '=', 'a'],
      ['name', 'ilike', 'no token'],
    ],
  ]);
});

test('rights, users, programs and texts that run are read and not changed', () => {
  for (const model of [
    'res.users',
    'res.groups',
    'ir.rule',
    'ir.model.access',
    'ir.model.data',
    'ir.cron',
    'ir.actions.server',
    'base.automation',
    'ir.module.module',
    'ir.ui.view',
    'ir.model.fields',
    'mail.template',
    'mail.compose.message',
    'base.module.upgrade',
    'base_import.import',
  ]) {
    for (const method of ['create', 'write', 'unlink', 'copy', 'load', 'run', 'button_install'])
      refused(model, method, [[1], {}]);
    tried(model, 'search_read', [[], ['id']]);
  }
});

test('nor through a relation, a default or an import', () => {
  refused('res.partner', 'write', [[1], { user_ids: [[1, 2, { login: 'x' }]] }]);
  refused('res.partner', 'create', [[{ user_ids: [[0, 0, {}]] }]]);
  refused('res.partner', 'write', [[1], { user_ids: [[6, 0, [2]]] }]);
  refused('res.partner', 'write', [[1], { task_ids: [[0, 0, { user_ids: [[0, 0, {}]] }]] }]);
  refused('res.partner', 'copy', [[1], { user_ids: [[4, 2]] }]);
  refused('res.partner', 'web_save', [[1], { user_ids: [[1, 2, {}]] }, {}]);
  refused('res.partner', 'load', [['name', 'user_ids/login'], [['a', 'b']]]);
  refused('res.partner', 'load', [['name', 'signup_token'], [['a', 'b']]]);
  refused('res.partner', 'create', [[{}]], { named: { context: { default_password: 'x' } } });
  refused('res.partner', 'onchange', [[], { user_ids: [[0, 0, { login: 'x' }]] }, ['name'], {}]);
  refused('res.partner', 'anything', ['user_ids.password']);
  refused('res.partner', 'mapped', ['user_ids.login']);
  refused('ir.attachment', 'write', [[1], { url: '/web/assets/x.js' }]);
  // People are given to a task, which changes nothing of theirs.
  tried('project.task', 'write', [[1], { user_ids: [[6, 0, [2]]] }]);
  tried('res.partner', 'create', [[{ name: 'password', task_ids: [[0, 0, { name: 'x' }]] }]]);
});

test('a field that leads to records of any model is read as it is, and not followed', () => {
  const key = { fields: { key: {}, value: {} } };
  refused('ir.attachment', 'web_read', [[1], { res_id: key }]);
  refused('ir.attachment', 'web_search_read', [], { named: { specification: { res_id: key } } });
  refused('res.partner', 'web_read', [
    [1],
    { task_ids: { fields: { user_ids: {} } }, document: key },
  ]);
  refused('res.partner', 'web_read', [[1], { properties: { fields: { a1b2: key } } }]);
  tried('ir.attachment', 'web_read', [[1], { res_id: {} }]);
  tried('res.partner', 'search', [[['properties.a1b2', '=', 'x']]]);
  tried('ir.attachment', 'web_read', [[1], { res_id: key }], {
    exceptions: ['ir.attachment/res_id'],
  });
});

test('what a change reads back is looked at as what is read, wherever its specification stands', () => {
  const back = {
    parent_id: { fields: { task_ids: { fields: { server_id: { fields: { a: {} } } } } } },
  };
  refused('res.partner', 'onchange', [[], {}, [], back]);
  refused('res.partner', 'onchange', [], { named: { fields_spec: back } });
  refused('res.partner', 'web_save', [[1], {}, back]);
  refused('res.partner', 'web_save_multi', [[1], [{}], back]);
  refused('res.partner', 'web_resequence', [[1]], { named: { specification: back } });
  refused('res.partner', 'get_gantt_data', [{ read_specification: back }]);
  const ordered = { task_ids: { fields: { id: {} }, order: 'server_id.name' } };
  refused('res.partner', 'onchange', [[], {}, [], { parent_id: { fields: ordered } }]);
  // A field may have the name of what a specification has besides.
  const named = { fields: { order: { fields: { api_ids: { fields: { name: {} } } } } } };
  refused('res.partner', 'web_read', [[1], { task_ids: named }]);
  tried('res.partner', 'web_save', [[1], { name: 'x' }, { parent_id: { fields: { name: {} } } }]);
});

test('no default makes or changes what could not be written', () => {
  const create = (context: Record<string, Value>): Parameters<typeof tried> => [
    'res.partner',
    'create',
    [[{ name: 'x' }]],
    { named: { context } },
  ];
  refused(...create({ default_user_ids: [[0, 0, { login: 'x' }]] }));
  refused(...create({ default_user_ids: [{ login: 'x' }] }));
  refused(...create({ default_user_ids: [2] }));
  refused(...create({ default_task_ids: [[0, 0, { name: 'x' }]] }));
  // It holds for records of other models, too, which the call makes on its way.
  refused(...create({ default_unknown_ids: [[0, 0, { login: 'x' }]] }));
  tried(...create({ default_task_ids: [[6, 0, [1]]], default_parent_id: 3, default_name: 'x' }));
});

test('no method gives what its name says is secret, or makes users', () => {
  for (const [model, method] of [
    ['ir.attachment', 'generate_access_token'],
    ['res.partner', 'signup_prepare'],
    ['res.partner', 'signup_get_auth_param'],
    ['sale.order', 'get_portal_url'],
    ['hr.employee', 'action_create_users'],
    ['portal.wizard.user', 'action_grant_access'],
    ['survey.invite', 'create'],
  ] as const)
    refused(model, method, [[1]]);
  refused('res.company', 'write', [[1], { user_ids: [[4, 2]] }]);
});
