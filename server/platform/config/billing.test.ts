import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../testing/fixtures/tasks/file-stores.ts';
import { ConfigError, readConfig, requireBilling } from './config.ts';

const catalog = async (file: object): Promise<string> => {
  const path = join(await temporaryFolder(), 'catalog.json');
  await writeFile(path, JSON.stringify(file));
  return path;
};

const model = { id: 'large', name: 'Large', prices: { input: '3.00', output: '15.00' } };
/** Its model is a provider's, which the operator pays. */
const REAL = await catalog({
  models: [{ ...model, agent: 'opencode', provider: 'acme' }],
  providers: [{ id: 'acme', api: 'openai', base_url: 'https://models.example.com/v1' }],
});
/** Its agent reaches a model by itself. */
const OWN_AGENT = await catalog({
  models: [{ ...model, agent: 'mine' }],
  agents: [{ id: 'mine', command: 'mine', reports_usage: true }],
});
/** The sandbox agent costs no one anything, whatever its price is. */
const PRICED_SANDBOX = await catalog({ models: [{ ...model, agent: 'sandbox' }] });
const [TEST_KEY, LIVE_KEY] = ['sk_test_51Guildhall', 'sk_live_51Guildhall'];

const billingOf = (env: Record<string, string>) => requireBilling(readConfig(env));
const refusal = (env: Record<string, string>): string => {
  try {
    billingOf(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults.join('\n');
  }
  throw new Error('it was accepted');
};

test('without a setting, a key of Stripe means stripe, and otherwise the sandbox agent alone means sandbox', () => {
  assert.deepEqual(billingOf({}), { mode: 'sandbox', testMoney: true });
  assert.deepEqual(billingOf({ BILLING: '' }), { mode: 'sandbox', testMoney: true });
  assert.deepEqual(billingOf({ GUILDHALL_CATALOG: PRICED_SANDBOX }).mode, 'sandbox');
  const live = { mode: 'stripe', testMoney: false };
  assert.deepEqual(billingOf({ STRIPE_SECRET_KEY: LIVE_KEY }), live);
  assert.deepEqual(billingOf({ STRIPE_SECRET_KEY: LIVE_KEY, GUILDHALL_CATALOG: REAL }), live);
  assert.deepEqual(billingOf({ STRIPE_SECRET_KEY: TEST_KEY }), { ...live, testMoney: true });
});

test('without a setting and a key, a model that costs real money is refused by a sentence that names the choices', () => {
  for (const GUILDHALL_CATALOG of [REAL, OWN_AGENT]) {
    const said = refusal({ GUILDHALL_CATALOG });
    for (const choice of ['BILLING', 'stripe', 'STRIPE_SECRET_KEY', 'credits', 'off'])
      assert.ok(said.includes(choice), said);
  }
});

test('commands that move no money need no decision', () => {
  assert.equal(readConfig({ GUILDHALL_CATALOG: REAL }).billing, undefined);
});

test('the sandbox is refused where a model costs real money, whoever asks for it', () => {
  for (const GUILDHALL_CATALOG of [REAL, OWN_AGENT])
    assert.match(
      refusal({ BILLING: 'sandbox', GUILDHALL_CATALOG }),
      /^BILLING must not be sandbox/,
    );
});

test('credits and off take no key, and any catalog', () => {
  for (const mode of ['credits', 'off'] as const)
    for (const env of [{}, { GUILDHALL_CATALOG: REAL }, { STRIPE_SECRET_KEY: LIVE_KEY }])
      assert.deepEqual(billingOf({ BILLING: mode, ...env }), { mode, testMoney: false });
});

test('a setting and a key that contradict each other are refused', () => {
  assert.match(refusal({ BILLING: 'stripe' }), /^STRIPE_SECRET_KEY must be set/);
  assert.match(
    refusal({ BILLING: 'sandbox', STRIPE_SECRET_KEY: LIVE_KEY }),
    /^BILLING must not be sandbox/,
  );
  assert.match(
    refusal({ BILLING: 'free' }),
    /^BILLING must be one of stripe, credits, off, sandbox/,
  );
});

test("cards of Stripe's test mode beside models that cost real money are a warning", () => {
  const warningsOf = (env: Record<string, string>) => readConfig(env).warnings.join('\n');
  const env = { GUILDHALL_CATALOG: REAL, STRIPE_SECRET_KEY: TEST_KEY };
  assert.match(warningsOf(env), /test mode/);
  assert.equal(warningsOf({ ...env, STRIPE_SECRET_KEY: LIVE_KEY }), '');
  assert.equal(warningsOf({ STRIPE_SECRET_KEY: TEST_KEY }), '');
  assert.doesNotMatch(warningsOf(env), /51Guildhall/);
});
