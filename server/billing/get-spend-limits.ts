import { ownAccount } from '../access/account.ts';
import { sql } from '../db/sql.ts';
import { route } from '../http/route.ts';
import { answer, type Limits, limitsAnswer, limitsOf } from './spend-limits/limits.ts';

/** The spend limits of the caller's own balance. */
export const getSpendLimits = route({
  method: 'GET',
  path: '/api/billing/spend-limits',
  area: 'Billing',
  operationId: 'get_spend_limits',
  summary: 'Get the spend limits',
  description:
    "What may be spent of the caller's balance in a calendar month (UTC), as a whole and for " +
    'single projects, people and tasks, with what was spent so far. Without a limit, the ' +
    'balance alone bounds what is spent.',
  access: ownAccount,
  responses: limitsAnswer,
  errors: [],
  handle: ({ statement }) =>
    statement<Limits>({ select: limitsOf(sql`select account_id as id from authorized`) }, answer),
});
