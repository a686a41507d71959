import { sql } from '../db/sql.ts';
import { type AutoReload, answer, autoReloadAnswer, autoReloadOf } from './auto-reload/settings.ts';
import { onBothAccounts } from './on-both-accounts.ts';

/** The auto-reload of the caller's own balance, and of a workspace's for its owners and admins. */
export const [getAutoReload, getWorkspaceAutoReload] = onBothAccounts(
  {
    method: 'GET',
    path: '/auto-reload',
    responses: autoReloadAnswer,
    errors: [],
    handle: ({ statement }) =>
      statement<AutoReload>(
        { select: autoReloadOf(sql`(select account_id from authorized)`) },
        answer,
      ),
  },
  {
    operationId: 'get_auto_reload',
    summary: 'Get auto-reload',
    description:
      "Whether and how a card is charged automatically when the caller's balance runs low. Off " +
      'by default.',
  },
  {
    operationId: 'get_workspace_auto_reload',
    summary: "Get a workspace's auto-reload",
    description:
      "Whether and how a card is charged automatically when the workspace's balance runs low. " +
      'Owners and admins only.',
    permission: 'see_billing',
  },
);
