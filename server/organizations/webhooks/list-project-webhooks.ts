import { onProject } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { ids, route } from '../../http/route.ts';
import { webhook } from './webhook.ts';

/** The webhooks of a project. */
export const listProjectWebhooks = route({
  method: 'GET',
  path: '/api/projects/{project_id}/webhooks',
  area: 'Projects',
  operationId: 'list_project_webhooks',
  summary: 'List the webhooks of a project',
  description: 'Admins of the project, and the owner and admins of its workspace only.',
  access: onProject('manage_webhooks'),
  params: ids('project_id'),
  responses: { 200: webhook.listed('The oldest first. Always complete.') },
  errors: [],
  handle: ({ url, statement }) =>
    statement<Listed>({ select: listed(webhooks, {}) }, page(url, undefined)),
});

const webhooks = {
  json: webhook.json,
  rows: sql`
    from webhook_endpoint t cross join authorized where t.project_id = authorized.project_id`,
  order: [
    { by: sql`t.created_at`, type: 'timestamptz' },
    { by: sql`t.id`, type: 'uuid' },
  ],
} as const;
