import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutgoingAnswer } from '../../platform/outgoing/outgoing.ts';
import { longestTurn } from '../../testing/harness/thread-time.ts';
import { probeUrl } from './probing.ts';

// What a server may answer to keep everything else of this process waiting, or to use its memory.

const MIB = 1024 ** 2;
const WHOLE = (value: string) =>
  `<methodResponse><params><param><value>${value}</value></param></params></methodResponse>`;

/** Each is as long as an answer may be. */
const HOSTILE: Record<string, string> = {
  'characters by number': WHOLE('&#97;'.repeat(MIB / 5 - 100)),
  elements: WHOLE(`<array><data>${'<value/>'.repeat(MIB / 8 - 100)}</data></array>`),
  'a long name': `<methodResponse><${'a'.repeat(MIB - 100)}>`,
  'a long attribute': `<methodResponse a="${'a'.repeat(MIB - 100)}">`,
  attributes: `<methodResponse ${Array.from({ length: 100_000 }, (_, i) => `a${i}=""`).join(' ')}>`,
  nesting: '<a>'.repeat(MIB / 3),
  'nested JSON': '['.repeat(MIB / 2) + ']'.repeat(MIB / 2),
  'items of JSON': `[${'[],'.repeat(MIB / 3 - 10)}[]]`,
  'keys of JSON': `[${Array.from({ length: 80_000 }, (_, i) => `{"k${i}":0}`).join()}]`,
};

const saying = (body: string) => async (): Promise<OutgoingAnswer> => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(body),
  url: 'https://erp.example.com/',
  redirected: false,
  ms: 1,
});

for (const [name, body] of Object.entries(HOSTILE))
  test(`everything else goes on while answers full of ${name} are read`, async () => {
    const send = saying(body);
    let [own, all] = [0, 0];
    // Some are soon refused: what this thread does only once would be as much as that.
    for (let round = 0; round < 20 && all - own < 100; round += 1) {
      const probes = Array.from({ length: 4 }, () => probeUrl({ send }, 'https://erp.example.com'));
      const took = await longestTurn(() => Promise.all(probes));
      for (const { code } of took.result) assert.equal(code, 'not_odoo');
      own += took.own;
      all += took.all;
    }
    // Read in this thread, they would be nearly all of it.
    assert.ok(own < all / 2, `${own} of ${all} ms`);
  });

test('who asks for much waits for themselves: another one waits for one answer', async () => {
  const [slow, quick] = [saying(HOSTILE['characters by number'] as string), saying('{}')];
  const done: string[] = [];
  const probe = async (send: typeof slow, askedBy: string) => {
    await probeUrl({ send }, 'https://erp.example.com', { askedBy });
    done.push(askedBy);
  };
  await Promise.all([
    ...Array.from({ length: 10 }, () => probe(slow, 'theirs')),
    probe(quick, 'mine'),
  ]);
  assert.ok(done.indexOf('mine') < 4, done.join());
});
