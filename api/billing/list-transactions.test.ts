import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHarness } from '../testing/harness.ts';

const { fixtures, request } = await startHarness();

test('200: newest first, signed, each with the balance after it; pages are the whole list', async () => {
  const user = await fixtures.user();
  for (const amount of ['10.00', '-2.50', '0.000001'])
    await fixtures.fund({ userId: user.id }, amount);
  const whole = (await request('GET', '/api/billing/transactions', { key: user.key })).body;
  assert.deepEqual(
    whole.map(({ kind, amount, balance }: Record<string, string>) => [kind, amount, balance]),
    [
      ['promotion', '0.000001', '7.500001'],
      ['usage', '-2.50', '7.50'],
      ['promotion', '10.00', '10.00'],
    ],
  );
  const pages: unknown[] = [];
  let next: string | undefined = '/api/billing/transactions?limit=2';
  while (next !== undefined) {
    const page: Awaited<ReturnType<typeof request>> = await request('GET', next, { key: user.key });
    pages.push(...page.body);
    next = /^<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
  }
  assert.deepEqual(pages, whole);
});
