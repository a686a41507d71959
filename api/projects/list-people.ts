import Type from 'typebox';
import { onProject } from '../access/project.ts';
import { rolesThatMay } from '../access/roles.ts';
import { jsonBoolean, jsonObject, jsonText, jsonToken } from '../db/json.ts';
import { nothing, type Sql, sql } from '../db/sql.ts';
import { uuid } from '../http/input/fields.ts';
import { cursorInvalid, decodeCursor, nextLink, paging } from '../http/paging.ts';
import { route } from '../http/route.ts';

const text = () => Type.Optional(Type.String());

/** Somebody who can open the project, and the role they act with on it (spec: Project person). */
const projectPerson = Type.Object({
  email: Type.String(),
  is_org_member: Type.Boolean(),
  is_owner: Type.Boolean(),
  source: Type.Enum(['org', 'override', 'collaborator']),
  user_id: uuid(),
  effective_role: text(),
  effective_role_color: text(),
  effective_role_name: text(),
  hidden_reason: Type.Optional(Type.Enum(['deactivated', 'two_factor_required'])),
  is_active: Type.Optional(Type.Boolean()),
  name: text(),
  org_role: text(),
  org_role_color: text(),
  org_role_name: text(),
  project_role: text(),
  project_role_color: text(),
  project_role_name: text(),
});

/** Everyone who can open the project: the members of its workspace and its outside collaborators (spec 6, ruling 8). */
export const listPeople = route({
  method: 'GET',
  path: '/api/projects/{project_id}/people',
  area: 'Projects',
  operationId: 'list_project_people',
  summary: "List a project's people",
  description:
    'Everyone who can open the project: every member of its workspace plus outside collaborators, each with the role ' +
    'they act with here and where it comes from. Owners and admins also see the people whose grant cannot be used now ' +
    '(`is_active: false`, with a `hidden_reason`). The whole list, unless `limit` is given.',
  access: onProject('open_project'),
  params: Type.Object({ project_id: uuid({ description: 'The project.' }) }),
  query: Type.Object(paging),
  responses: {
    200: {
      description: 'The owner first, then members by name, then outside collaborators by name.',
      headers: ['Link'],
      schema: Type.Array(projectPerson),
      example: [
        {
          email: 'ada@example.com',
          is_org_member: true,
          is_owner: true,
          source: 'org',
          user_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
          effective_role: 'owner',
          effective_role_color: '#7C3AED',
          effective_role_name: 'Owner',
          is_active: true,
          name: 'Ada Byron',
          org_role: 'owner',
          org_role_color: '#7C3AED',
          org_role_name: 'Owner',
        },
      ],
    },
  },
  errors: [cursorInvalid],
  handle: ({ params, query, url, statement }) => {
    const after = decodeCursor(query.cursor, [/^[0-3]$/, /^[01]$/, /^/, /^/, /^[0-9a-f-]{36}$/]);
    return statement<People>({ select: people(params.project_id, query.limit, after) }, (row) => ({
      status: 200,
      body: row.people,
      headers: row.last === null ? {} : nextLink(url, query.limit as number, row.last),
    }));
  },
});

/** `people` is the answer's text as PostgreSQL made it; `last` the sort key of a page's last row when more follow. */
interface People {
  people: string;
  last: string[] | null;
}

// "C" collation: one order on every PostgreSQL, whatever its locale.
const sortKey = sql`
  case when p.is_owner then 0 when p.is_org_member then 1 else 2 end as rank,
  (p.name is null)::int as nameless,
  coalesce(lower(p.name), '') collate "C" as lower_name,
  p.email collate "C" as sort_email`;

const person = jsonObject({
  email: jsonText(sql`email`),
  is_org_member: jsonBoolean(sql`is_org_member`),
  is_owner: jsonBoolean(sql`is_owner`),
  source: jsonToken(sql`source`),
  user_id: jsonToken(sql`user_id`),
  effective_role: jsonToken(sql`effective_role`),
  effective_role_color: jsonToken(sql`effective_role_color`),
  effective_role_name: jsonText(sql`effective_role_name`),
  hidden_reason: jsonToken(sql`hidden_reason`),
  is_active: jsonBoolean(sql`hidden_reason is null`),
  name: jsonText(sql`name`),
  org_role: jsonToken(sql`org_role`),
  org_role_color: jsonToken(sql`org_role_color`),
  org_role_name: jsonText(sql`org_role_name`),
  project_role: jsonToken(sql`project_role`),
  project_role_color: jsonToken(sql`project_role_color`),
  project_role_name: jsonText(sql`project_role_name`),
});

const people = (
  projectId: string,
  limit: number | undefined,
  after: string[] | undefined,
): Sql => sql`
  select list.* from authorized g cross join lateral (
    select '[' || coalesce(string_agg(${person}, ',' order by rank, nameless, lower_name, sort_email, user_id)
             ${limit === undefined ? nothing : sql`filter (where ordinal <= ${limit})`}, '') || ']' as people,
           ${limit === undefined ? sql`null::text[]` : lastOfPage(limit)} as last
      from (select person.* ${limit === undefined ? nothing : ordinal}
              from (select p.*, ${sortKey} from project_person p
                     where p.project_id = ${projectId}
                       and (p.hidden_reason is null or g.acts_as = any(${rolesThatMay('see_hidden_people')}::text[]))
                   ) person
             ${after === undefined ? nothing : startAfter(after)}
             ${limit === undefined ? nothing : sql`order by ordinal limit ${limit + 1}`}) listed
  ) list`;

const ordinal = sql`, row_number() over (order by rank, nameless, lower_name, sort_email, user_id) as ordinal`;

const startAfter = (key: string[]): Sql => sql`
  where (rank, nameless, lower_name, sort_email, user_id)
      > (${key[0]}::int, ${key[1]}::int, ${key[2]}::text, ${key[3]}::text, ${key[4]}::uuid)`;

// One row more than the page was fetched: its presence says that a next page exists.
const lastOfPage = (limit: number): Sql => sql`
  case when max(ordinal) > ${limit}
       then max(array[rank::text, nameless::text, lower_name, sort_email, user_id::text])
            filter (where ordinal = ${limit}) end`;
