import Type from 'typebox';
import { onWorkspace } from '../access/workspace.ts';
import { sql } from '../db/sql.ts';
import { ids, route } from '../http/route.ts';
import { seesBilling } from './ledger/sees-billing.ts';
import { sharedCard, sharedCardJson, sharedExample } from './saved-card.ts';

/** The cards that the owner and admins of a workspace have shared with it. */
export const listWorkspacePaymentMethods = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/billing/payment-methods',
  area: 'Workspace Billing',
  operationId: 'list_workspace_payment_methods',
  summary: 'List the cards shared with a workspace',
  description:
    'The cards that its owner and admins have shared with the workspace, the latest share first. ' +
    'Owners and admins only. A card is charged by its own person alone. While its person is ' +
    'deactivated, or lacks the second factor that the workspace requires, it is not listed.',
  access: onWorkspace('see_billing'),
  params: ids('org_id'),
  responses: {
    200: {
      description: 'The latest share first.',
      schema: Type.Array(sharedCard),
      example: [sharedExample],
    },
  },
  errors: [],
  handle: ({ statement }) =>
    statement<{ cards: string }>({ select: cards }, (row) => ({ status: 200, body: row.cards })),
});

const cards = sql`
  select (select coalesce(json_agg(${sharedCardJson} order by s.created_at desc, p.id desc),
                          '[]')::text
            from card_share s
            join payment_method p on p.id = s.payment_method_id
            join app_user u on u.id = s.user_id
            join billing_account a on a.organization_id = s.organization_id
           where s.organization_id = authorized.organization_id and ${seesBilling}) as cards
    from authorized`;
