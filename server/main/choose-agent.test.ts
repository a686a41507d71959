import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Catalog, defaultCatalog } from '../platform/catalog/catalog.ts';
import { modelUses } from '../platform/catalog/model-uses.ts';
import type { Catalogs } from '../platform/catalog/read-catalog.ts';
import { agentsOf, costBy } from './choose-agent.ts';

const prices = { input: '3.00', output: '15.00', cache_read: '0.30' };
const providers = [
  { id: 'local', api: 'openai' as const, base_url: 'http://127.0.0.1:9/v1', key: { env: 'KEY' } },
];
const model = (id: string, agent: string, is_default = false) => ({
  id,
  name: id,
  agent,
  is_default,
  prices,
  ...(agent === 'sandbox' ? {} : { provider: 'local', model: 'vendor/clever-1' }),
});
const catalogs = (models: Catalog['models']): Catalogs => ({
  catalog: { ...defaultCatalog, models },
  agents: modelUses({ models, providers }, { KEY: 's3cret' }).catalog,
});
const offering = (...models: Catalog['models']) => agentsOf(catalogs(models));

test('no model is the default one; without a catalog of one’s own, that is the sandbox', () => {
  assert.equal(agentsOf(catalogs(defaultCatalog.models))(null)?.agent.id, 'sandbox');
  const choose = offering(model('small', 'sandbox'), model('large', 'sandbox', true));
  assert.equal(choose(null)?.costOf({ inputTokens: 1_000_000 }), 3_000_000_000n);
});

test('a model comes with its agent, its provider, and its name there', () => {
  const chosen = offering(model('clever', 'opencode'))('clever');
  assert.deepEqual([chosen?.agent.id, chosen?.model], ['opencode', 'vendor/clever-1']);
  assert.deepEqual([chosen?.provider?.id, chosen?.provider?.key()], ['local', 's3cret']);
});

test('a model that is gone is none; without a default, one must be chosen', () => {
  const choose = offering(model('clever', 'opencode'));
  assert.equal(choose('gone'), undefined);
  assert.throws(() => choose(null), /no default model: choose a model/);
});

test('tokens cost what the catalog says, to the nano-USD, rounded up', () => {
  const cost = costBy(prices);
  assert.equal(cost({ inputTokens: 1, outputTokens: 1 }), 18_000n);
  assert.equal(cost({ cacheReadTokens: 10, cacheWriteTokens: 10 }), 33_000n);
  assert.equal(cost({ longCacheWriteTokens: 10 }), 60_000n);
  assert.equal(costBy({ input: '0.000001', output: '0.00' })({ inputTokens: 1 }), 1n);
  assert.equal(cost({}), 0n);
});
