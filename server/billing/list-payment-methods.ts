import Type from 'typebox';
import { ownAccount } from '../access/account.ts';
import { sql } from '../db/sql.ts';
import { route } from '../http/route.ts';
import { savedCard, savedCardJson, savedExample } from './saved-card.ts';

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
  description: "The caller's saved cards, newest first.",
  access: ownAccount,
  responses: {
    200: {
      description: 'Newest first.',
      schema: Type.Array(savedCard),
      example: [savedExample],
    },
  },
  errors: [],
  handle: ({ statement }) =>
    statement<{ cards: string }>({ select: cards }, (row) => ({ status: 200, body: row.cards })),
});

const cards = sql`
  select (select coalesce(json_agg(${savedCardJson()} order by p.created_at desc, p.id desc),
                          '[]')::text
            from payment_method p join billing_account a on a.user_id = p.user_id
           where a.id = authorized.account_id and p.detached_at is null) as cards
    from authorized`;
