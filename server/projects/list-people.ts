import Type from 'typebox';
import { onProject } from '../access/project.ts';
import { rolesThatMay } from '../access/roles.ts';
import { sql } from '../db/sql.ts';
import { type Listed, listed, page } from '../http/list.ts';
import { cursorInvalid, paging } from '../http/paging.ts';
import { ids, route } from '../http/route.ts';
import { projectPerson } from './project-person.ts';

/**
 * Everyone who can open the project: the members of its workspace and its outside collaborators
 * (spec 6, ruling 8).
 */
export const listPeople = route({
  method: 'GET',
  path: '/api/projects/{project_id}/people',
  area: 'Projects',
  operationId: 'list_project_people',
  summary: "List a project's people",
  description:
    'Everyone who can open the project: every member of its workspace plus outside ' +
    'collaborators, each with the role they act with here and where it comes from. Owners and ' +
    'admins also see the people whose grant cannot be used now (`is_active: false`, with a ' +
    '`hidden_reason`). The complete list, unless `limit` is given.',
  access: onProject('open_project'),
  params: ids('project_id'),
  query: Type.Object(paging),
  responses: {
    200: projectPerson.listed(
      'The owner first, then members by name, then outside collaborators by name.',
    ),
  },
  errors: [cursorInvalid],
  handle: ({ params, query, url, statement }) =>
    statement<Listed>({ select: listed(people(params.project_id), query) }, page(url, query.limit)),
});

// Owners and admins also see people whose grant cannot be used now (ruling 8.6). The "C" collation
// sorts the same on every PostgreSQL, whatever its locale.
const people = (projectId: string) => ({
  json: projectPerson.json,
  rows: sql`
    from authorized
    join lateral (
      select p.*,
             case when p.is_owner then 0 when p.is_org_member then 1 else 2 end as rank,
             (p.name is null)::int as nameless,
             coalesce(lower(p.name), '') collate "C" as lower_name
        from project_person p
       where p.project_id = ${projectId}
         and (p.hidden_reason is null
              or authorized.acts_as = any(${rolesThatMay('see_hidden_people')}::text[]))) p on true
   where true`,
  order: [
    { by: sql`p.rank`, type: 'integer' as const },
    { by: sql`p.nameless`, type: 'integer' as const },
    { by: sql`p.lower_name`, type: 'text' as const },
    { by: sql`p.email collate "C"`, type: 'text' as const },
    { by: sql`p.user_id`, type: 'uuid' as const },
  ],
});
