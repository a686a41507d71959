import Type from 'typebox';
import { asOperator } from '../access/operator.ts';
import { contains } from '../db/search.ts';
import { nothing, sql } from '../db/sql.ts';
import { operatorRequired } from '../http/errors.ts';
import { email, text, uuid } from '../http/input/fields.ts';
import { type Listed, type ListParts, listed, page } from '../http/list.ts';
import { cursorInvalid, pages } from '../http/paging.ts';
import { resource, usd } from '../http/resource.ts';
import { route } from '../http/route.ts';
import { timestamp } from '../http/timestamps.ts';

/** A row `o` of `organization`, its owner `u` and its account `a`. */
const operated = resource('OperatedWorkspace', {
  id: [uuid(), sql`o.id`, '5d0f9a4e-7c1b-4e2a-8f3d-6b7c8d9e0f1a'],
  name: [Type.String(), sql`o.name`, 'Acme'],
  owner_user_id: [uuid(), sql`u.id`, '7c9e6679-7425-40de-944b-e07fc1f90ae7'],
  owner_email: [email(), sql`u.email`, 'ada@example.com'],
  owner_name: [Type.Optional(Type.String()), sql`u.name`, 'Ada Byron'],
  owner_is_active: [Type.Boolean(), sql`u.is_active`, true],
  members: [
    Type.Integer(),
    sql`(select count(*) from membership m where m.organization_id = o.id)`,
    7,
  ],
  projects: [
    Type.Integer(),
    sql`(select count(*) from project p where p.organization_id = o.id)`,
    3,
  ],
  balance: [usd(), sql`a.balance`, '12.50'],
  created_at: [timestamp(), sql`o.created_at`, '2026-11-21T08:15:30.123Z'],
});

/** All workspaces: whose they are, and how much there is; nothing of what is in them. */
export const listAllWorkspaces = route({
  method: 'GET',
  path: '/api/operator/organizations',
  area: 'Operation',
  operationId: 'list_all_workspaces',
  summary: 'List all workspaces',
  description:
    'All workspaces with their owners, counts and balances, by name; nothing of what is in them. ' +
    'Always in pages: 50 entries, unless `limit` says otherwise. Operators only.',
  access: asOperator,
  query: Type.Object({
    ...pages,
    q: Type.Optional(text({ minLength: 1, maxLength: 200, description: 'A part of the name.' })),
  }),
  responses: { 200: operated.listed('By name.') },
  errors: [operatorRequired, cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(workspaces(query), query) }, page(url, query.limit)),
});

const workspaces = ({ q }: { q?: string }): ListParts => ({
  json: operated.json,
  rows: sql`
    from authorized
    cross join organization o
    join app_user u on u.id = o.owner_user_id
    join billing_account a on a.organization_id = o.id
   where true ${q === undefined ? nothing : sql`and ${contains(sql`o.name`, q)}`}`,
  order: [
    { by: sql`lower(o.name) collate "C"`, type: 'text' },
    { by: sql`o.id`, type: 'uuid' },
  ],
});
