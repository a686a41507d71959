import Type from 'typebox';
import { ownCard } from '../access/card.ts';
import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { forbidden, notFound } from '../http/errors.ts';
import { route } from '../http/route.ts';
import { recordChange } from '../platform/audit/audit.ts';
import { requestDetach } from './cards/detach-cards.ts';
import { cardId, cardInUse } from './saved-card.ts';

/**
 * Removes a card of the caller. A charge locks the card before it is recorded, so either it is seen
 * here and blocks the removal, or it sees that the card was removed.
 */
export const deletePaymentMethod = route({
  method: 'DELETE',
  path: '/api/billing/payment-methods/{payment_method_id}',
  area: 'Billing',
  operationId: 'delete_payment_method',
  summary: 'Remove a card',
  description:
    'Removes a card: here at once, and at the card processor soon afterwards. While auto-reload ' +
    'charges it, or the outcome of a charge is open, it is refused with `blockers`, each with a ' +
    '`code` (`auto_reload`, `top_up_in_flight`), a `message`, and `organization_id` or ' +
    '`top_up_id`. Workspaces that it was shared with no longer see it.',
  access: ownCard,
  auditDenied: { action: 'payment_method.delete', target: 'payment_method_id' },
  params: Type.Object({ payment_method_id: cardId }),
  responses: { 204: { description: 'The card is removed.' } },
  errors: [notFound, forbidden, cardInUse],
  handle: ({ params: { payment_method_id: id }, requestId, transaction }) =>
    transaction(async (tx, { userId, keyId, sessionId }) => {
      const blockers = await blockersOf(tx, id);
      if (blockers.length > 0) throw cardInUse({ blockers });
      const card = await tx.one<{ token: string; brand: string; last4: string }>(sql`
        update payment_method set detached_at = now() where id = ${id}
        returning token, brand, last4`);
      await requestDetach(tx, card.token);
      await recordChange(tx, {
        caller: { userId, keyId, sessionId },
        action: 'payment_method.delete',
        target: id,
        before: { brand: card.brand, last4: card.last4 },
        after: {},
        requestId,
      });
      return { status: 204 };
    }),
});

interface Blocker {
  code: 'auto_reload' | 'top_up_in_flight';
  message: string;
  organization_id?: string;
  top_up_id?: string;
}

async function blockersOf(tx: Tx, cardId: string): Promise<Blocker[]> {
  const found = await tx.many<{ organization_id: string | null; top_up_id: string | null }>(sql`
    select a.organization_id, null::uuid as top_up_id
      from auto_reload r join billing_account a on a.id = r.account_id
     where r.payment_method_id = ${cardId} and r.enabled and a.status <> 'closed'
    union all
    select a.organization_id, t.id
      from top_up t join billing_account a on a.id = t.account_id
     where t.payment_method_id = ${cardId} and t.status in ('created', 'processing')`);
  return found.map(({ organization_id, top_up_id }) => ({
    ...(top_up_id === null
      ? {
          code: 'auto_reload',
          message: 'Auto-reload charges this card: choose another card for it or switch it off',
        }
      : {
          code: 'top_up_in_flight',
          message: 'The outcome of a charge of this card is not known yet: wait until it is',
          top_up_id,
        }),
    ...(organization_id !== null && { organization_id }),
  }));
}
