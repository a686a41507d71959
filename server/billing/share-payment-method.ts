import Type from 'typebox';
import { onWorkspaceOwnCard } from '../access/card.ts';
import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { notFound } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { recordChange } from '../platform/audit/audit.ts';
import { cardId, sharedCard, sharedCardJson, sharedExample } from './saved-card.ts';

/** Lets the owner and admins of a workspace see a card of the caller, who is one of them. */
export const sharePaymentMethod = route({
  method: 'PUT',
  path: '/api/organizations/{org_id}/billing/payment-methods/{payment_method_id}',
  area: 'Workspace Billing',
  operationId: 'share_payment_method',
  summary: 'Share a card with a workspace',
  description:
    "Lets the workspace's owner and admins see a card of the caller, who must be one of them. It " +
    'lets no one else charge the card. It ends when its person ends it, removes the card, leaves ' +
    'the workspace or loses the role. A card that is shared already stays so.',
  access: onWorkspaceOwnCard('add_funds'),
  auditDenied: { action: 'payment_method.share', target: 'org_id' },
  params: Type.Object({ ...ids('org_id').properties, payment_method_id: cardId }),
  responses: { 200: { description: 'The card.', schema: sharedCard, example: sharedExample } },
  errors: [],
  handle: ({ params: { org_id, payment_method_id: id }, requestId, transaction }) =>
    transaction(async (tx, { userId, keyId, sessionId }) => {
      const { shared } = await share(tx, org_id, id);
      if (shared)
        await recordChange(tx, {
          caller: { userId, keyId, sessionId },
          action: 'payment_method.share',
          target: id,
          organizationId: org_id,
          before: {},
          after: { shared: true },
          requestId,
        });
      const { item } = await tx.one<{ item: string }>(sql`
        select ${sharedCardJson}::text as item
          from card_share s
          join payment_method p on p.id = s.payment_method_id
          join app_user u on u.id = s.user_id
         where s.organization_id = ${org_id} and s.payment_method_id = ${id}`);
      return { status: 200, body: item };
    }),
});

// The card is locked, so that one that is being removed is not shared.
async function share(tx: Tx, organizationId: string, id: string): Promise<{ shared: boolean }> {
  const card = await tx.maybeOne<{ user_id: string }>(sql`
    select user_id from payment_method where id = ${id} and detached_at is null for share`);
  if (card === undefined) throw notFound();
  const rows = await tx.many(sql`
    insert into card_share (payment_method_id, organization_id, user_id)
    values (${id}, ${organizationId}, ${card.user_id})
    on conflict do nothing returning payment_method_id`);
  return { shared: rows.length > 0 };
}
