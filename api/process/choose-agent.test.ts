import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Catalog, defaultCatalog } from '../catalog/catalog.ts';
import { TurnFailed } from '../worker/runner.ts';
import { agentsOf, costBy } from './choose-agent.ts';

const prices = { input: '3.00', output: '15.00', cache_read: '0.30' };
const model = (id: string, agent: string, is_default = false): Catalog['models'][number] => ({
  ...{ id, name: id, agent, is_default, prices },
});
const offering = (...models: Catalog['models']) => agentsOf({ ...defaultCatalog, models });

test('no model is the default one; without a catalog of one’s own, that is the sandbox', () => {
  assert.equal(agentsOf(defaultCatalog)(null)?.agent.id, 'sandbox');
  const choose = offering(model('small', 'sandbox'), model('large', 'sandbox', true));
  assert.equal(choose(null)?.costOf({ inputTokens: 1_000_000 }), 3_000_000_000n);
});

test('what cannot be run is a sentence for people', () => {
  const choose = offering(model('clever', 'opencode'));
  assert.equal(choose('gone'), undefined);
  assert.throws(() => choose('clever'), new TurnFailed(NOT_INSTALLED));
  assert.throws(() => choose(null), /no default model: choose a model/);
});

const NOT_INSTALLED =
  'The agent opencode of the model clever is not installed on this server: choose another model.';

test('tokens cost what the catalog says, to the nano-USD, rounded up', () => {
  const cost = costBy(prices);
  assert.equal(cost({ inputTokens: 1, outputTokens: 1 }), 18_000n);
  assert.equal(cost({ cacheReadTokens: 10, cacheWriteTokens: 10 }), 33_000n);
  assert.equal(costBy({ input: '0.000001', output: '0.00' })({ inputTokens: 1 }), 1n);
  assert.equal(cost({}), 0n);
});
