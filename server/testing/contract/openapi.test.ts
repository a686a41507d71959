import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { parse } from 'yaml';
import { declaredStatuses } from '../../http/declared-errors.ts';
import { readIdempotencyKey } from '../../http/idempotency.ts';
import { text } from '../../http/input/fields.ts';
import { compileRequest } from '../../http/input/validation.ts';
import { openApi } from '../../http/openapi.ts';
import { documentText, staleDocuments } from '../../main/write-openapi.ts';
import { startHarness } from '../harness/harness.ts';

const { routes: ofTenants, operatorRoutes, request, fixtures } = await startHarness();
const routes = [...ofTenants, ...operatorRoutes];
const document = JSON.parse(documentText());

interface Answer {
  $ref?: string;
  headers: Record<string, unknown>;
  content: Record<string, Record<string, unknown>>;
}
/** Of an operation of the document, also where it refers to one that many share. */
const answerOf = (answer: Answer): Answer =>
  answer.$ref === undefined
    ? answer
    : document.components.responses[answer.$ref.replace('#/components/responses/', '')];

test('openapi.json and auth-openapi.json are the documents of these routes', async () => {
  assert.deepEqual(await staleDocuments(), [], 'run `npm run openapi`');
});

test('the tags are the twelve areas of the specification, in its order, and that of operators', () => {
  const areas =
    'Account, Projects, Tasks, Plans & Artifacts, Pull Requests & Deploys, Odoo Connections, ' +
    'Workspaces, Members & Invitations, GitHub, Billing, Workspace Billing, Usage, Operation';
  assert.equal(document.tags.map(({ name }: { name: string }) => name).join(', '), areas);
});

test('the reference at /docs reads the document of this server', async () => {
  const { body } = await request('GET', '/openapi.json');
  assert.deepEqual(Object.keys(body.paths), [...new Set(routes.map(({ path }) => path))]);
  assert.deepEqual((await request('GET', '/docs/json')).body, body);
  assert.deepEqual(parse((await request('GET', '/docs/yaml')).text), body);
});

test('every operation shows all its statuses, each with a schema and an example', () => {
  for (const route of routes) {
    const { responses } = document.paths[route.path][route.method.toLowerCase()];
    assert.deepEqual(new Set(Object.keys(responses).map(Number)), declaredStatuses(route));
    for (const [status, answer] of Object.entries<Answer>(responses)) {
      const { content } = answerOf(answer);
      const declared = route.responses[Number(status)];
      if (declared !== undefined && declared.schema === undefined) continue;
      const json = content['application/json'];
      assert.ok(
        json?.schema && (json.example ?? Object.keys(json.examples ?? {}).length > 0),
        `${route.path} ${status}`,
      );
    }
  }
});

test('every example of a successful answer is of its schema, whole', () => {
  for (const { responses, path } of routes) {
    for (const { schema, example } of Object.values(responses)) {
      if (schema !== undefined) assert.deepEqual([...Compile(schema).Errors(example)], [], path);
    }
  }
});

test('the patterns of texts and of Idempotency-Key tell what is accepted', () => {
  const name = text({ minLength: 1, maxLength: 100 });
  const read = compileRequest({ body: Type.Object({ name }) });
  const { parameters } = document.paths['/api/billing/add-funds'].post;
  const { pattern } = parameters.find(
    (each: { name: string }) => each.name === 'Idempotency-Key',
  ).schema;
  const accepts = (key: string) => {
    try {
      return readIdempotencyKey(key) === key;
    } catch {
      return false;
    }
  };
  for (let code = 0; code <= 0x100; code++) {
    const char = String.fromCharCode(code);
    const sent = `a${char}b`;
    const body = Buffer.from(JSON.stringify({ name: sent }));
    const { ok } = read({ params: {}, search: '', contentType: 'application/json', body });
    assert.equal(Compile(name).Check(sent), ok, `U+${code.toString(16)}`);
    for (const key of [char, sent]) assert.equal(new RegExp(pattern).test(key), accepts(key), key);
  }
});

test('what a header must look like, and which fields exclude each other, is said', () => {
  const parameter = (path: string, method: string, name: string) =>
    document.paths[path][method].parameters.find((each: { name: string }) => each.name === name);
  assert.equal(parameter('/api/tasks/{task_id}/plan', 'put', 'If-Match').required, true);
  const { schema } = parameter('/api/tasks/{task_id}/events', 'get', 'Last-Event-ID');
  assert.deepEqual(schema, { type: 'string', pattern: '^[0-9]{0,15}$' });
  for (const { errors, path, method, body } of routes) {
    const either = errors.some(
      (each) =>
        'item' in each &&
        ['role_or_role_id', 'one_answer_required', 'mcp_server_kind'].includes(each.item.type),
    );
    const { oneOf, not } = (body ?? {}) as { oneOf?: object; not?: object };
    assert.equal((oneOf ?? not) !== undefined, either, `${method} ${path}`);
  }
});

test('the tags are the spec’s areas; the servers are the public address and staging', () => {
  const both = openApi(routes, { publicUrl: 'https://a.example', stagingUrl: 'https://b.example' });
  assert.deepEqual(
    both.servers.map(({ url }) => url),
    ['https://a.example', 'https://b.example'],
  );
  const tags = document.tags.map(({ name }: { name: string }) => name);
  for (const { area } of routes) assert.ok(tags.includes(area));
});

test('every answer has the headers that the document promises for its status', async () => {
  const owner = await fixtures.user();
  const path = `/api/organizations/${await fixtures.workspace(owner)}/invitations`;
  const operation = document.paths['/api/organizations/{org_id}/invitations'].get;
  const all = Object.keys(document.components.headers);
  assert.equal(all.length, 3);
  const answers = [
    await request('GET', path, { key: owner.key }),
    await request('GET', path),
    await request('GET', `${path}?limit=x`, { key: owner.key }),
    await request('GET', path, { key: (await fixtures.user()).key }),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 401, 422, 403],
  );
  for (const { status, headers } of answers) {
    const promised = Object.keys(answerOf(operation.responses[status]).headers);
    for (const name of all)
      assert.ok(promised.includes(name) && headers.has(name), `${status} ${name}`);
  }
});
