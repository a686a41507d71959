import Type from 'typebox';
import { onWorkspaceAccount } from '../access/workspace.ts';
import { sql } from '../db/sql.ts';
import { uuid } from '../http/input/fields.ts';
import { route } from '../http/route.ts';
import { type AutoReload, answer, autoReloadAnswer, autoReloadOf } from './auto-reload/settings.ts';

/** The auto-reload of a workspace, for its owners and admins. */
export const getWorkspaceAutoReload = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/billing/auto-reload',
  area: 'Workspace Billing',
  operationId: 'get_workspace_auto_reload',
  summary: "Get a workspace's auto-reload",
  description:
    "Whether and how a card is charged automatically when the workspace's balance runs low. " +
    'Owners and admins only.',
  access: onWorkspaceAccount('see_billing'),
  params: Type.Object({ org_id: uuid({ description: 'The workspace.' }) }),
  responses: autoReloadAnswer,
  errors: [],
  handle: ({ statement }) =>
    statement<AutoReload>(
      { select: autoReloadOf(sql`(select account_id from authorized)`) },
      answer,
    ),
});
