import Type from 'typebox';
import { asOperator } from '../access/operator.ts';
import { sql } from '../db/sql.ts';
import { operatorRequired } from '../http/errors.ts';
import { uuid } from '../http/input/fields.ts';
import { type Listed, type ListParts, listed, page } from '../http/list.ts';
import { cursorInvalid, pages } from '../http/paging.ts';
import { resource } from '../http/resource.ts';
import { route } from '../http/route.ts';
import { timestamp } from '../http/timestamps.ts';

/** A row `d` of `webhook_delivery`, its webhook `e` and workspace `o`: not what was sent. */
const failed = resource('FailedDelivery', {
  id: [uuid(), sql`d.id`, '019aa2b7-1d1e-7f2a-9b3c-4d5e6f7a8b9c'],
  webhook_id: [uuid(), sql`e.id`, '6b1d7c3e-2f4a-4b5c-8d6e-9f0a1b2c3d4e'],
  webhook_name: [Type.String(), sql`e.name`, 'Deploys to chat'],
  webhook_is_on: [Type.Boolean(), sql`e.enabled`, true],
  organization_id: [Type.Optional(uuid()), sql`o.id`, '5d0f9a4e-7c1b-4e2a-8f3d-6b7c8d9e0f1a'],
  workspace_name: [Type.Optional(Type.String()), sql`o.name`, 'Acme'],
  project_id: [Type.Optional(uuid()), sql`e.project_id`, undefined],
  type: [Type.String(), sql`d.type`, 'task.merged'],
  attempts: [Type.Integer(), sql`d.attempts`, 10],
  status: [Type.Optional(Type.Integer({ description: 'Of the last answer.' })), sql`d.status`, 503],
  error: [
    Type.Optional(Type.String({ description: 'Why the last attempt had no answer.' })),
    sql`d.error`,
    undefined,
  ],
  created_at: [timestamp(), sql`d.created_at`, '2026-11-21T08:15:30.123Z'],
  ended_at: [timestamp(), sql`d.ended_at`, '2026-11-24T08:15:30.123Z'],
});

/** What was given up of all webhooks. */
export const listFailedDeliveries = route({
  method: 'GET',
  path: '/api/operator/webhook-deliveries',
  area: 'Operation',
  operationId: 'list_failed_deliveries',
  summary: 'List deliveries that were given up',
  description:
    'Deliveries of all webhooks that were given up in the last 30 days, newest first: where and why, ' +
    'not what was sent. Always in pages: 50 entries, unless `limit` says otherwise. Operators only.',
  access: asOperator,
  query: Type.Object(pages),
  responses: { 200: failed.listed('Newest first.') },
  errors: [operatorRequired, cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(deliveries, query) }, page(url, query.limit)),
});

const deliveries: ListParts = {
  json: failed.json,
  rows: sql`
    from authorized
    cross join (select * from webhook_delivery where state = 'failed') d
    join webhook_endpoint e on e.id = d.endpoint_id
    left join project p on p.id = e.project_id
    left join organization o on o.id = coalesce(e.organization_id, p.organization_id)
   where true`,
  order: [
    { by: sql`d.created_at`, type: 'timestamptz' },
    { by: sql`d.id`, type: 'uuid' },
  ],
  descending: true,
};
