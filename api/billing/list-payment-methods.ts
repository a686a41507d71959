import Type from 'typebox';
import { ownAccount } from '../access/account.ts';
import { sql } from '../db/sql.ts';
import { route } from '../http/route.ts';
import { timestamp, timestampSql } from '../http/timestamps.ts';

/**
 * The caller's saved cards: the values that `payment_method_id` may have. The processor's own name
 * for a card is never shown.
 */
export const listPaymentMethods = route({
  method: 'GET',
  path: '/api/billing/payment-methods',
  area: 'Billing',
  operationId: 'list_payment_methods',
  summary: 'List saved cards',
  description:
    "The caller's saved cards, newest first. Cards are saved and removed in the dashboard.",
  access: ownAccount,
  responses: {
    200: {
      description: 'Newest first.',
      schema: Type.Array(
        Type.Object({
          id: Type.String(),
          brand: Type.String(),
          last4: Type.String(),
          created_at: timestamp(),
        }),
      ),
      example: [
        {
          id: 'pm_6xY1mQ0wVtB2nK8sLr4dPzaF',
          brand: 'visa',
          last4: '4242',
          created_at: '2026-11-21T08:15:30.123Z',
        },
      ],
    },
  },
  errors: [],
  handle: ({ statement }) =>
    statement<{ cards: string }>({ select: cards }, (row) => ({ status: 200, body: row.cards })),
});

const cards = sql`
  select (select coalesce(json_agg(json_build_object(
                   'id', p.id, 'brand', p.brand, 'last4', p.last4,
                   'created_at', ${timestampSql(sql`p.created_at`)})
                   order by p.created_at desc, p.id desc), '[]')::text
            from payment_method p join billing_account a on a.user_id = p.user_id
           where a.id = authorized.account_id and p.detached_at is null) as cards
    from authorized`;
