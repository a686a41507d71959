import Type from 'typebox';
import { onWorkspaceOwnCard } from '../access/card.ts';
import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { ids, route } from '../http/route.ts';
import { recordChange } from '../platform/audit/audit.ts';
import { cardId } from './saved-card.ts';
import { newRevision } from './top-ups/pause-auto-reload.ts';

/** Ends the sharing of a card of the caller, and what auto-reload charges to it. */
export const unsharePaymentMethod = route({
  method: 'DELETE',
  path: '/api/organizations/{org_id}/billing/payment-methods/{payment_method_id}',
  area: 'Workspace Billing',
  operationId: 'unshare_payment_method',
  summary: 'Stop sharing a card with a workspace',
  description:
    'Hides a card of the caller from the workspace again. If auto-reload of the workspace charges ' +
    'the card, it is switched off. A card that is not shared stays so.',
  access: onWorkspaceOwnCard('add_funds'),
  params: Type.Object({ ...ids('org_id').properties, payment_method_id: cardId }),
  responses: { 204: { description: 'The card is not shared with the workspace.' } },
  errors: [],
  handle: ({ params: { org_id, payment_method_id: id }, requestId, transaction }) =>
    transaction(async (tx, { userId, keyId, sessionId }) => {
      const by = { caller: { userId, keyId, sessionId }, organizationId: org_id, requestId };
      // First, because charges and settings of auto-reload lock the account before the card.
      const account = await tx.one<{ id: string }>(sql`
        select id from billing_account where organization_id = ${org_id} for update`);
      const ended = await tx.many(sql`
        delete from card_share
         where organization_id = ${org_id} and payment_method_id = ${id}
        returning payment_method_id`);
      if (ended.length === 0) return { status: 204 };
      await recordChange(tx, {
        ...by,
        action: 'payment_method.unshare',
        target: id,
        before: { shared: true },
        after: { shared: false },
      });
      if (await switchOff(tx, account.id, id))
        await recordChange(tx, {
          ...by,
          action: 'auto_reload.switch_off',
          target: account.id,
          before: { enabled: true },
          after: { enabled: false },
        });
      return { status: 204 };
    }),
});

const switchOff = async (tx: Tx, accountId: string, cardId: string): Promise<boolean> =>
  (
    await tx.many(sql`
      update auto_reload r set enabled = false, updated_at = ${newRevision}
       where account_id = ${accountId} and payment_method_id = ${cardId} and enabled
      returning account_id`)
  ).length > 0;
