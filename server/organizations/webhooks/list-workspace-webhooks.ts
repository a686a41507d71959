import { onWorkspace } from '../../access/workspace.ts';
import { sql } from '../../db/sql.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { ids, route } from '../../http/route.ts';
import { webhook } from './webhook.ts';

/** The webhooks of a workspace. */
export const listWorkspaceWebhooks = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/webhooks',
  area: 'Workspaces',
  operationId: 'list_workspace_webhooks',
  summary: 'List the webhooks of a workspace',
  description: 'Without those of its projects. Owners and admins only.',
  access: onWorkspace('manage_webhooks'),
  params: ids('org_id'),
  responses: { 200: webhook.listed('The oldest first. Always complete.') },
  errors: [],
  handle: ({ url, statement }) =>
    statement<Listed>({ select: listed(webhooks, {}) }, page(url, undefined)),
});

const webhooks = {
  json: webhook.json,
  rows: sql`
    from webhook_endpoint t cross join authorized where t.organization_id = authorized.organization_id`,
  order: [
    { by: sql`t.created_at`, type: 'timestamptz' },
    { by: sql`t.id`, type: 'uuid' },
  ],
} as const;
