import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMonths, THIS_MONTH } from '../../testing/fixtures/billing/months.ts';
import { ON_ITS_WAY } from './report.ts';

type Months = Awaited<ReturnType<typeof startMonths>>;

/** Both sides end a minute before the instant until which Stripe was fetched. */
const FETCHED = THIS_MONTH.from.getTime() + 20_000_000;
const END = FETCHED - ON_ITS_WAY;
const TIMES = { before: END - 1_000, at: END, after: END + 1_000, fetched: FETCHED + 1_000 };
type When = keyof typeof TIMES;
const WHENS = Object.keys(TIMES) as When[];

/** Where a charge stands in the ledger and at Stripe; in one of them it may be missing. */
interface Entries {
  ledger?: When;
  stripe?: When;
}

const BOTH: Entries[] = WHENS.flatMap((ledger) => WHENS.map((stripe) => ({ ledger, stripe })));
const ONE: Entries[] = WHENS.flatMap((when) => [{ ledger: when }, { stripe: when }]);

/** Charges with these entries, by their id. */
async function charge(months: Months, all: Entries[]): Promise<Map<string, Entries>> {
  const charges = new Map<string, Entries>();
  const changes: string[] = [];
  const at = (when: When) => `created_at = '${new Date(TIMES[when]).toISOString()}'`;
  for (const entries of all) {
    const { ledger, stripe } = entries;
    const { id, intent } = await months.topUp(25);
    charges.set(id, entries);
    const posted = `where reference_id = '${id}'`;
    const reported = `where intent_id = '${intent}'`;
    changes.push(
      ledger === undefined
        ? `delete from ledger_transfer ${posted}`
        : `update ledger_transfer set ${at(ledger)} ${posted}`,
      stripe === undefined
        ? `delete from balance_transaction ${reported}`
        : `update balance_transaction set ${at(stripe)} ${reported}`,
    );
  }
  await months.report(THIS_MONTH);
  await months.forge(changes.join(';'));
  return charges;
}

/** The ids of what a report finds, as the command makes it, after a fetch at that time. */
async function found({ forge, report }: Months, fetched: number) {
  await forge(`update balance_fetch set fetched_until = '${new Date(fetched).toISOString()}'`);
  const { differences } = await report(THIS_MONTH, { fetch: false, onItsWay: ON_ITS_WAY });
  return differences.map(({ top_up_id }) => top_up_id).sort();
}

test('what both sides have is no difference, before, at and after the instant, and on either side of it', async () => {
  const months = await startMonths();
  await charge(months, BOTH);
  assert.deepEqual(await found(months, FETCHED), []);
  assert.deepEqual(await found(months, FETCHED + 600_000), []);
});

test('what one side has is a difference if it was before the instant; at and after it, in a later report', async () => {
  const months = await startMonths();
  const charges = await charge(months, ONE);
  const before = [...charges].filter(([, of]) => (of.ledger ?? of.stripe) === 'before');
  assert.equal(before.length, 2);
  assert.deepEqual(await found(months, FETCHED), before.map(([id]) => id).sort());
  assert.deepEqual(await found(months, FETCHED + 600_000), [...charges.keys()].sort());
});

test('race: charges while reports are made are never a difference, and one that is there is found each time', async () => {
  const months = await startMonths();
  const { report, topUp, forge } = months;
  const missing = await topUp(25);
  await report(THIS_MONTH);
  await forge(`
    delete from ledger_transfer where reference_id = '${missing.id}';
    update balance_transaction set created_at = '${THIS_MONTH.from.toISOString()}'`);
  const idsOf = ({ differences }: Awaited<ReturnType<typeof report>>) =>
    differences.map(({ top_up_id }) => top_up_id);
  let isCharging = true;
  const charging = Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let i = 0; i < 12; i++) await topUp(25);
    }),
  ).finally(() => {
    isCharging = false;
  });
  let reports = 0;
  for (; isCharging; reports++)
    assert.deepEqual(idsOf(await report(THIS_MONTH, { onItsWay: ON_ITS_WAY })), [missing.id]);
  await charging;
  assert.ok(reports > 5, `${reports} reports`);
  const last = await report(THIS_MONTH);
  assert.deepEqual([last.top_ups.count, idsOf(last)], [48, [missing.id]]);
});
