import Type from 'typebox';
import { onTeam } from '../access/workspace.ts';
import { auditRow } from '../audit/audit.ts';
import { violatedConstraint } from '../db/database/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import { apiError, fieldError } from '../http/errors.ts';
import { boolean, ignored, text, uuid } from '../http/input/fields.ts';
import { etag, matches } from '../http/preconditions.ts';
import { route } from '../http/route.ts';
import { timestamp, timestampSql } from '../http/timestamps.ts';

const teamNameTaken = fieldError(
  'team_name_taken',
  ['body', 'name'],
  'Another team in this workspace already has this name: choose a different one',
);
const teamChanged = apiError(
  412,
  'team_changed',
  'The team has changed since you read it: read it again, then update it',
);

const changes = Type.Object(
  {
    name: Type.Optional(text({ minLength: 1, maxLength: 100 })),
    add_to_new_projects: Type.Optional(boolean()),
    can_create_projects: Type.Optional(boolean()),
    can_merge_production: Type.Optional(boolean()),
    can_merge_staging: Type.Optional(boolean()),
    // A team that was read may be sent back as it is (ruling 4.3).
    id: Type.Optional(ignored()),
    organization_id: Type.Optional(ignored()),
    created_at: Type.Optional(ignored()),
    updated_at: Type.Optional(ignored()),
    member_count: Type.Optional(ignored()),
    project_count: Type.Optional(ignored()),
  },
  { additionalProperties: false },
);

/** Renames a team or changes what it is allowed to do; a field left out keeps its value (spec 2, ruling 4). */
export const updateTeam = route({
  method: 'PUT',
  path: '/api/organizations/{org_id}/teams/{team_id}',
  area: 'Members & Invitations',
  operationId: 'update_team',
  summary: 'Update a team',
  description:
    'Renames a team or changes what it is allowed to do. Owners and admins only. A field that is left out keeps its ' +
    'value; `{}` changes nothing. Send the `ETag` of the team you have read as `If-Match` to refuse overwriting ' +
    "somebody else's change.",
  access: onTeam('update_team'),
  sample: () => ({ body: { name: 'Renamed', can_merge_production: true } }),
  params: Type.Object({
    org_id: uuid({ description: 'The workspace.' }),
    team_id: uuid({ description: 'The team of that workspace.' }),
  }),
  body: changes,
  responses: {
    200: {
      description: 'The team as it is now.',
      headers: ['ETag'],
      schema: Type.Object({
        id: uuid(),
        organization_id: uuid(),
        name: Type.String(),
        add_to_new_projects: Type.Boolean(),
        can_create_projects: Type.Boolean(),
        can_merge_production: Type.Boolean(),
        can_merge_staging: Type.Boolean(),
        created_at: timestamp(),
        updated_at: timestamp(),
        member_count: Type.Integer(),
        project_count: Type.Integer(),
      }),
      example: {
        id: '5d0f9a4e-7c1b-4e2a-8f3d-6b7c8d9e0f1a',
        organization_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
        name: 'Core',
        add_to_new_projects: true,
        can_create_projects: true,
        can_merge_production: false,
        can_merge_staging: true,
        created_at: '2026-11-20T09:00:00.000Z',
        updated_at: '2026-11-21T08:15:30.123Z',
        member_count: 3,
        project_count: 2,
      },
    },
  },
  headers: { 'If-Match': 'The ETag of the team that you have read.' },
  errors: [teamNameTaken, teamChanged],
  handle: async ({ body, headers, requestId, statement }) => {
    try {
      return await statement<UpdatedTeam>(update(body, headers['if-match'], requestId), (row) => {
        if (!row.expected) throw teamChanged();
        return { status: 200, body: row.team, headers: { etag: etag(row.revision) } };
      });
    } catch (error) {
      if (violatedConstraint(error) === 'team_name_taken') throw teamNameTaken(body.name);
      throw error;
    }
  },
});

/** `team` is the answer's text as PostgreSQL made it; `revision` the time of the last write in microseconds. */
interface UpdatedTeam {
  team: string;
  revision: string;
  expected: boolean;
}

const fields = sql`name, add_to_new_projects, can_create_projects, can_merge_production, can_merge_staging`;

const revision = (updatedAt: Sql): Sql =>
  sql`(extract(epoch from ${updatedAt}) * 1000000)::bigint::text`;

// A change that changes nothing writes nothing, so `updated_at` and the ETag stay (ruling 4.1).
const update = (
  body: {
    name?: string;
    add_to_new_projects?: boolean;
    can_create_projects?: boolean;
    can_merge_production?: boolean;
    can_merge_staging?: boolean;
  },
  ifMatch: string | undefined,
  requestId: string,
): { with: Sql; select: Sql } => ({
  with: sql`
    current as materialized (
      select t.*, ${matches(ifMatch, revision(sql`t.updated_at`))} as expected
        from team t join authorized g on t.id = g.team_id for update of t),
    wanted as (
      select id,
             coalesce(${body.name ?? null}::text, name) as name,
             coalesce(${body.add_to_new_projects ?? null}::boolean, add_to_new_projects) as add_to_new_projects,
             coalesce(${body.can_create_projects ?? null}::boolean, can_create_projects) as can_create_projects,
             coalesce(${body.can_merge_production ?? null}::boolean, can_merge_production) as can_merge_production,
             coalesce(${body.can_merge_staging ?? null}::boolean, can_merge_staging) as can_merge_staging
        from current where expected),
    changed as (
      update team t
         set (${fields}) = (w.name, w.add_to_new_projects, w.can_create_projects, w.can_merge_production, w.can_merge_staging),
             updated_at = greatest(clock_timestamp(), c.updated_at + interval '1 microsecond')
        from wanted w join current c using (id)
       where t.id = w.id
         and (c.name, c.add_to_new_projects, c.can_create_projects, c.can_merge_production, c.can_merge_staging)
             is distinct from
             (w.name, w.add_to_new_projects, w.can_create_projects, w.can_merge_production, w.can_merge_staging)
      returning t.*),
    audited as (${auditRow({
      action: 'team.update',
      requestId,
      target: sql`ch.id`,
      organization: sql`ch.organization_id`,
      before: snapshot('c'),
      after: snapshot('ch'),
      from: sql`changed ch join current c using (id)`,
    })})`,
  select: sql`
    select c.expected, ${revision(sql`now_.updated_at`)} as revision,
           json_build_object(
             'id', now_.id, 'organization_id', now_.organization_id, 'name', now_.name,
             'add_to_new_projects', now_.add_to_new_projects, 'can_create_projects', now_.can_create_projects,
             'can_merge_production', now_.can_merge_production, 'can_merge_staging', now_.can_merge_staging,
             'created_at', ${timestampSql(sql`now_.created_at`)}, 'updated_at', ${timestampSql(sql`now_.updated_at`)},
             'member_count', (select count(*) from team_member m where m.team_id = c.id),
             'project_count', (select count(*) from team_project p where p.team_id = c.id))::text as team
      from current c
      cross join lateral (
        select id, organization_id, ${fields}, created_at, updated_at from changed
        union all
        select c.id, c.organization_id, c.name, c.add_to_new_projects, c.can_create_projects, c.can_merge_production,
               c.can_merge_staging, c.created_at, c.updated_at
         where not exists (select from changed)) now_`,
});

function snapshot(row: 'c' | 'ch'): Sql {
  const columns = { c: sql`c`, ch: sql`ch` }[row];
  const column = (name: Sql) => sql`${columns}.${name}`;
  return sql`jsonb_build_object(
    'name', ${column(sql`name`)}, 'add_to_new_projects', ${column(sql`add_to_new_projects`)},
    'can_create_projects', ${column(sql`can_create_projects`)},
    'can_merge_production', ${column(sql`can_merge_production`)}, 'can_merge_staging', ${column(sql`can_merge_staging`)})`;
}
