import Type from 'typebox';
import { ownCard } from '../access/card.ts';
import { sql } from '../db/sql.ts';
import { forbidden, notFound } from '../http/errors.ts';
import { route } from '../http/route.ts';
import { auditRow } from '../platform/audit/audit.ts';
import { cardId, savedCard, savedCardJson, savedExample } from './saved-card.ts';

/** Makes one of the caller's cards the one that forms propose. */
export const makeDefaultPaymentMethod = route({
  method: 'PUT',
  path: '/api/billing/payment-methods/{payment_method_id}/default',
  area: 'Billing',
  operationId: 'make_default_payment_method',
  summary: 'Make a card the default',
  description:
    'Makes a card the one that forms propose. It changes nothing about auto-reload, which names ' +
    'its card.',
  access: ownCard,
  params: Type.Object({ payment_method_id: cardId }),
  responses: {
    200: { description: 'The card.', schema: savedCard, example: savedExample },
  },
  errors: [notFound, forbidden],
  handle: ({ requestId, statement }) =>
    statement<{ item: string }>(
      {
        with: sql`
          changed as (
            update payment_method p set default_at = clock_timestamp()
              from authorized
             where p.id = authorized.payment_method_id and p.detached_at is null
            returning p.*),
          audited as (${auditRow({
            action: 'payment_method.make_default',
            requestId,
            target: sql`changed.id`,
            organization: sql`null::uuid`,
            before: sql`'{}'::jsonb`,
            after: sql`'{"is_default": true}'::jsonb`,
            from: sql`changed`,
          })})`,
        select: sql`select ${savedCardJson(sql`true`)}::text as item from changed p`,
      },
      ({ item }) => {
        if (item === null) throw notFound();
        return { status: 200, body: item };
      },
    ),
});
