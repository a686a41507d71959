import { ownAccount } from '../access/account.ts';
import { sql } from '../db/sql.ts';
import { route } from '../http/route.ts';
import { type AutoReload, answer, autoReloadAnswer, autoReloadOf } from './auto-reload/settings.ts';

/** The auto-reload of the caller's own balance. */
export const getAutoReload = route({
  method: 'GET',
  path: '/api/billing/auto-reload',
  area: 'Billing',
  operationId: 'get_auto_reload',
  summary: 'Get auto-reload',
  description:
    "Whether and how a card is charged automatically when the caller's balance runs low. Off " +
    'by default.',
  access: ownAccount,
  responses: autoReloadAnswer,
  errors: [],
  handle: ({ statement }) =>
    statement<AutoReload>(
      { select: autoReloadOf(sql`(select account_id from authorized)`) },
      answer,
    ),
});
