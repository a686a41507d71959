import Type, { type Static } from 'typebox';
import { acrossWorkspaces } from '../access/account.ts';
import { standing } from '../access/project.ts';
import { contains } from '../db/search.ts';
import { nothing, type Sql, sql } from '../db/sql.ts';
import { boolean, oneOf, text, uuid } from '../http/input/fields.ts';
import { type Listed, type ListParts, listed, type Part, page } from '../http/list.ts';
import { cursorInvalid, paging } from '../http/paging.ts';
import { route } from '../http/route.ts';
import { project } from './project.ts';

const query = Type.Object({
  ...paging,
  organization_id: Type.Optional(uuid({ description: 'Only projects of this workspace.' })),
  owner: Type.Optional(oneOf(['me'], { description: 'Only personal projects of the caller.' })),
  archived: boolean({
    default: false,
    description: 'Archived projects instead of the others.',
  }),
  q: Type.Optional(
    text({
      minLength: 1,
      maxLength: 200,
      description: 'Only projects whose name contains this, without regard to case.',
    }),
  ),
});

/** The projects that the caller can open: by membership, as their owner, or as a collaborator. */
export const listProjects = route({
  method: 'GET',
  path: '/api/projects',
  area: 'Projects',
  operationId: 'list_projects',
  summary: 'List your projects',
  description:
    'The projects that the caller can open, sorted by name: those of their workspaces, their ' +
    'personal ones, and those they collaborate on. Archived ones are listed only with ' +
    '`archived=true`. A workspace whose two-factor policy the caller does not meet contributes ' +
    'none, and a key that is limited to one workspace lists only the projects of that one. A ' +
    'filter narrows the list: a workspace that the caller cannot see leaves it empty.',
  access: acrossWorkspaces,
  query,
  responses: { 200: project.listed('By name.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(projects(query), query) }, page(url, query.limit)),
});

// Each workspace is read by its own index, in the order of the list and no further than the page
// goes. `standing`, which decides about access everywhere, decides here too.
const projects = (filters: Static<typeof query>): ListParts => ({
  json: project.json,
  order: [
    { by: sql`lower(t.name) collate "C"`, type: 'text' },
    { by: sql`t.id`, type: 'uuid' },
  ],
  rows: (part) => sql`
    from (select * from authorized cross join caller) me
    cross join lateral (
      select * from (${sources(filters, part)}) t ${part.first}) p
    ${standing}
    join role acting on acting.id = standing.role_id
    cross join lateral (select p.*) t
   where not standing.lacks_two_factor`,
});

function sources(filters: Static<typeof query>, { after, first }: Part): Sql {
  const { organization_id, owner, archived, q } = filters;
  const wanted = sql`
    (t.archived_at is not null) = ${archived}
    ${q === undefined ? nothing : sql`and ${contains(sql`t.name`, q)}`} ${after}`;
  const inScope = (organization: Sql): Sql => sql`
    (me.scope is null or ${organization} = me.scope)
    ${organization_id === undefined ? nothing : sql`and ${organization} = ${organization_id}`}`;
  const personal = sql`
    select t.* from project t
     where t.owner_user_id = me.user_id and ${inScope(sql`t.organization_id`)} and ${wanted}`;
  if (owner === 'me') return personal;
  return sql`
    select t.*
      from membership m
      join organization o on o.id = m.organization_id
      cross join lateral (
        select t.* from project t
         where t.organization_id = m.organization_id and ${wanted} ${first}) t
     where m.user_id = me.user_id and ${inScope(sql`m.organization_id`)}
       and (me.two_factor or not o.require_2fa)
    union all ${personal}
    union all
    select t.*
      from project_grant g join project t on t.id = g.project_id
     where g.user_id = me.user_id and t.owner_user_id is distinct from me.user_id
       and not exists (
         select from membership m
          where m.organization_id = t.organization_id and m.user_id = me.user_id)
       and ${inScope(sql`t.organization_id`)} and ${wanted}`;
}
