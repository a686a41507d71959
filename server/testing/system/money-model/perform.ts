import { randomUUID } from 'node:crypto';
import { capture, hold, release } from '../../../billing/ledger/holds.ts';
import { recordUsage, settleUsage } from '../../../billing/ledger/usage.ts';
import { advanceRefund, RefundRefused, startRefund } from '../../../billing/top-ups/refund.ts';
import { sql } from '../../../db/sql.ts';
import { ApiError } from '../../../http/errors.ts';
import type { Step } from './steps.ts';
import type { Tenant, World } from './world.ts';

/**
 * Carries out one step. Refusals that the API or the ledger may answer with are part of the model,
 * other errors are not.
 */
export async function perform(world: World, t: Tenant, s: Step): Promise<void> {
  const { fake, request, db, processor, background } = world;
  switch (s.do) {
    case 'fault':
      return fake.fault({ match: `POST /v1/${s.at}`, kind: s.kind, times: 2, ms: 200 });
    case 'die':
      return world.dieBefore(s.before);
    case 'add': {
      const path = s.workspace
        ? `/api/organizations/${t.workspace}/billing/add-funds`
        : '/api/billing/add-funds';
      const body = { amount: s.cents / 100, payment_method_id: s.declined ? t.bad : t.good };
      const headers: Record<string, string> = s.keyed ? { 'idempotency-key': randomUUID() } : {};
      for (let i = 0; i < s.times; i++) {
        const reply = await request('POST', path, { key: t.user.key, body, headers });
        if (reply.status === 402) t.declined.push(reply.body.top_up_id);
      }
      return;
    }
    case 'dispute': {
      const one = await pick(world, t, s.which);
      if (one === undefined || fake.net(one.id) < 10_000n) return;
      const { id } = fake.dispute(one.processor_id);
      fake.closeDispute(id, s.won ? 'won' : 'lost');
      return;
    }
    case 'refund': {
      const one = await pick(world, t, s.which);
      if (one === undefined) return;
      const begun = await startRefund(
        db,
        processor,
        one.id,
        s.part === null ? undefined : BigInt(s.part) * 10_000n,
        async () => {},
      ).catch((error) => {
        if (error instanceof RefundRefused) return undefined;
        throw error;
      });
      if (begun !== undefined) await advanceRefund(db, processor, begun.id);
      return;
    }
    case 'hold':
      return db
        .transaction(async (tx) => {
          const reference = { type: 'test', id: t.account };
          const { id } = await hold(tx, {
            accountId: t.account,
            amount: BigInt(s.cents) * 10_000n,
            key: randomUUID(),
            reference,
          });
          if (s.end === 'capture') await capture(tx, id, BigInt(s.cents) * 5_000n);
          if (s.end === 'release') await release(tx, id);
        })
        .catch((error) => {
          if (!(error instanceof ApiError)) throw error;
        });
    case 'usage': {
      const events = s.nano.map((nano) => ({
        accountId: t.account,
        key: randomUUID(),
        amount: BigInt(nano),
        reference: { type: 'test', id: t.account },
        occurredAt: new Date(),
      }));
      await db.transaction((tx) => recordUsage(tx, [...events, events[0] as (typeof events)[0]]));
      await settleUsage(db, { limit: 3 });
      return;
    }
    case 'events':
      return void (await fake.deliver({ order: s.order, duplicate: s.duplicate }));
    case 'delete':
      return void (await request('DELETE', `/api/organizations/${t.workspace}`, {
        key: t.user.key,
      }));
    case 'clock':
      await db.many(
        sql`update top_up set next_check_at = now() where status in ('created', 'processing')`,
      );
      await background.round();
  }
}

async function pick(
  { db }: World,
  t: Tenant,
  which: number,
): Promise<{ id: string; processor_id: string } | undefined> {
  const charged = await db.many<{ id: string; processor_id: string }>(sql`
    select id, processor_id from top_up
     where user_id = ${t.user.id} and status not in ('created', 'processing', 'failed')
       order by id`);
  return charged[which % Math.max(1, charged.length)];
}
