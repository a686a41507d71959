import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentText } from '../../main/write-openapi.ts';
import { startGithub } from '../fixtures/code/github.ts';
import { startHarness } from '../harness/harness.ts';
import { makeTenant, requestSample, sampleOf } from './tenant.ts';

// Amounts as texts: what the document says of them is what the server does, in every operation
// that takes one.

const harness = await startHarness({ github: await startGithub() });
const document = JSON.parse(documentText());

interface Schema {
  format?: string;
  pattern?: string;
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
}
type Path = (string | number)[];

/** Where a body takes an amount, and the pattern of its text; of a list, in its first item. */
function amountsIn(schema: Schema, path: Path = []): { path: Path; pattern: string }[] {
  const { format, anyOf = [], items, properties = {} } = schema;
  if (format === 'decimal')
    return anyOf.flatMap(({ pattern }) => (pattern === undefined ? [] : [{ path, pattern }]));
  return [
    ...anyOf.flatMap((one) => amountsIn(one, path)),
    ...(items === undefined ? [] : amountsIn(items, [...path, 0])),
    ...Object.entries(properties).flatMap(([name, one]) => amountsIn(one, [...path, name])),
  ];
}

const PLACES = harness.routes.flatMap((route) => {
  const { requestBody } = document.paths[route.path][route.method.toLowerCase()];
  const schema = requestBody?.content['application/json']?.schema ?? {};
  return amountsIn(schema).map((amount) => ({ route, ...amount }));
});

/** Twenty-five dollars in every spelling, and what is no amount. */
const TAKEN = ['25', '25.0', '25.00', '25.000', '25.', '025', ' 25\n', '+25', '2.5e1', '2500E-2'];
const REFUSED = ['', ' ', '.', '-25', '--25', '25,00', '2_5', '٢٥', '0x19', '25.001', '2 5', '25e'];
const UNEQUAL = [...REFUSED, '25 USD', '$25', 'NaN', 'Infinity', '1/4', '25\u0000', '２５'];

test('these are the operations that take an amount', () => {
  assert.deepEqual(
    PLACES.map(({ route, path }) => `${route.operationId} ${path.join('.')}`).sort(),
    [
      'add_funds amount',
      'add_workspace_funds amount',
      'begin_top_up amount',
      'begin_workspace_top_up amount',
      'create_project spend_cap',
      'create_routine spend_cap',
      'create_task spend_cap',
      'update_auto_reload amount',
      'update_auto_reload monthly_cap',
      'update_auto_reload threshold',
      'update_project spend_cap',
      'update_routine spend_cap',
      'update_spend_limits limits.0.amount',
      'update_task spend_cap',
      'update_workspace_auto_reload amount',
      'update_workspace_auto_reload monthly_cap',
      'update_workspace_auto_reload threshold',
      'update_workspace_spend_limits limits.0.amount',
    ],
  );
});

for (const { route, path, pattern } of PLACES) {
  const name = `${route.operationId} ${path.join('.')}`;

  test(`${name}: a text is taken if it matches the pattern of the document, and only then`, async () => {
    const tenant = await makeTenant(harness, 'owner', { only: [route] });
    /** Whether the amount was refused, when all else is right. */
    const isRefused = async (amount: string) => {
      const { body = {} } = sampleOf(route, tenant);
      const changed = withValue(structuredClone(body), path, amount);
      const reply = await requestSample(harness, route, tenant, { body: changed });
      assert.ok(reply.status < 500, `${amount}: ${reply.text}`);
      const at = ['body', ...path].join();
      return (
        reply.status === 422 &&
        reply.body.detail.some(({ loc }: { loc: Path }) => loc.join() === at)
      );
    };
    const matches = (text: string) => new RegExp(pattern).test(text);
    await harness.unchanged(async () => {
      for (const text of UNEQUAL)
        assert.deepEqual([matches(text), await isRefused(text)], [false, true], text);
    });
    for (const text of TAKEN)
      assert.deepEqual([matches(text), await isRefused(text)], [true, false], text);
  });
}

function withValue(body: object, path: Path, value: string): Record<string, unknown> {
  const [last, ...before] = path.toReversed() as [string, ...Path];
  let within = body as Record<string | number, object>;
  for (const name of before.toReversed()) within = within[name] as typeof within;
  Object.assign(within, { [last]: value });
  return body as Record<string, unknown>;
}
