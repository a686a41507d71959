import type { Snapshot } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { usdSql } from '../../http/resource.ts';
import { timestampSql } from '../../http/timestamps.ts';

/**
 * A workspace as a world file, which `guildhall import` reads, chunk by chunk. Handles are ids. It
 * holds no secret and no money: secrets of projects are only named, nothing in it opens anything,
 * and importing it creates no balance.
 * Empty where there is no such workspace.
 */
export async function* worldFile(
  { rows }: Snapshot,
  organizationId: string,
): AsyncGenerator<string, void> {
  const id = sql`${organizationId}::uuid`;
  let head: string | undefined;
  for await (const [found] of rows<{ item: string }>(organization(id))) head = found?.item;
  if (head === undefined) return;

  async function* list(query: Sql): AsyncGenerator<string, void> {
    let separator = '[';
    for await (const batch of rows<{ item: string }>(query)) {
      yield separator + batch.map(({ item }) => item).join(',\n');
      separator = ',\n';
    }
    yield separator === '[' ? '[]' : ']';
  }

  yield '{"version":1,\n"users":';
  yield* list(users(id));
  yield `,\n"organizations":[${head.slice(0, -1)},\n"roles":`;
  yield* list(roles(id));
  yield ',\n"members":';
  yield* list(members(id));
  yield ',\n"teams":';
  yield* list(teams(id));
  yield ',\n"invitations":';
  yield* list(invitations(id));
  yield '}],\n"projects":';
  yield* list(projects(id));
  yield ',\n"tasks":';
  yield* list(tasks(id));
  yield '}\n';
}

/** An object without the fields that are null, which import fills in. */
const item = (fields: Sql): Sql =>
  sql`json_strip_nulls(json_build_object(${fields}))::text as item`;

/** Fields of a project or a task. */
const capAndArchiving = (of: Sql): Sql => sql`
  'spend_cap', case when ${of}.spend_cap is not null then ${usdSql(sql`${of}.spend_cap`)} end,
  'archived', case when ${of}.archived_at is not null then true end,
  'archived_at', ${timestampSql(sql`${of}.archived_at`)}`;

const organization = (id: Sql): Sql => sql`
  select ${item(sql`
           'handle', o.id, 'name', o.name, 'owner', o.owner_user_id,
           'require_2fa', nullif(o.require_2fa, false),
           'admins_manage_admins', nullif(o.admins_manage_admins, true),
           'color', o.color, 'icon', o.icon, 'instructions', o.instructions`)}
    from organization o where o.id = ${id}`;

// Everybody whom the rest of the file names.
const users = (id: Sql): Sql => sql`
  select ${item(sql`
           'handle', u.id, 'email', u.email, 'name', u.name,
           'is_active', nullif(u.is_active, true), 'two_factor', nullif(u.two_factor, false)`)}
    from (select m.user_id from membership m where m.organization_id = ${id}
          union
          select g.user_id from project p join project_grant g on g.project_id = p.id
           where p.organization_id = ${id}
          union
          select i.invited_by_user_id from project p join invitation i on i.project_id = p.id
           where p.organization_id = ${id} and i.status = 'pending'
          union
          select t.created_by_user_id from project p join task t on t.project_id = p.id
           where p.organization_id = ${id}
          union
          select named.user_id
            from project p
            join task t on t.project_id = p.id
            cross join lateral (
              select a.approved_by_user_id from plan_approval a where a.task_id = t.id
              union
              select r.author_user_id from plan_revision r where r.task_id = t.id
              union
              select unnest(array[c.author_user_id, c.resolved_by_user_id])
                from plan_comment c where c.task_id = t.id) named (user_id)
           where p.organization_id = ${id}) person
    join app_user u on u.id = person.user_id
   order by mailbox(u.email)`;

const roles = (id: Sql): Sql => sql`
  select ${item(sql`
           'slug', r.slug, 'scope', r.scope, 'name', r.name, 'color', r.color,
           'acts_as', r.acts_as`)}
    from role r where r.organization_id = ${id} order by r.scope, r.slug`;

// A service account is of this server: there its name stays with what it has done.
const members = (id: Sql): Sql => sql`
  select ${item(sql`'user', m.user_id, 'role', r.slug`)}
    from membership m
    join organization o on o.id = m.organization_id
    join app_user u on u.id = m.user_id
    join role r on r.id = m.role_id
   where m.organization_id = ${id} and m.user_id <> o.owner_user_id and m.user_kind = 'person'
   order by mailbox(u.email)`;

const teams = (id: Sql): Sql => sql`
  select ${item(sql`
           'handle', t.id, 'name', t.name,
           'add_to_new_projects', nullif(t.add_to_new_projects, false),
           'can_create_projects', nullif(t.can_create_projects, false),
           'can_merge_production', nullif(t.can_merge_production, false),
           'can_merge_staging', nullif(t.can_merge_staging, false),
           'members', (select json_agg(m.user_id order by m.user_id)
                         from team_member m join app_user u on u.id = m.user_id
                        where m.team_id = t.id and u.kind = 'person'),
           'projects', (select json_agg(p.project_id order by p.project_id)
                          from team_project p where p.team_id = t.id)`)}
    from team t where t.organization_id = ${id}
   order by lower(t.name) collate "C", t.id`;

// Those that can still be accepted or renewed; the rest is history.
const invitations = (id: Sql): Sql => sql`
  select ${item(sql`
           'handle', i.id, 'email', i.email, 'role', r.slug,
           'invited_by', (select m.user_id from membership m
                           where m.organization_id = i.organization_id
                             and m.user_id = i.invited_by_user_id),
           'invited_by_name', nullif(i.invited_by_name, ''),
           'created_at', ${timestampSql(sql`i.created_at`)},
           'expires_at', ${timestampSql(sql`i.expires_at`)},
           'teams', (select json_agg(t.team_id order by t.team_id)
                       from invitation_team t where t.invitation_id = i.id)`)}
    from invitation i
    join role r on r.id = i.role_id
   where i.organization_id = ${id} and i.status = 'pending'
   order by i.created_at, i.id`;

const projects = (id: Sql): Sql => sql`
  select ${item(sql`
           'handle', p.id, 'name', p.name, 'organization', p.organization_id,
           'erp_version', p.erp_version, 'erp_edition', p.erp_edition,
           'default_model', p.default_model,
           'plan_approval', nullif(p.plan_approval, 'required'),
           'direct_push', nullif(p.direct_push, 'nobody'),
           ${capAndArchiving(sql`p`)},
           'created_at', ${timestampSql(sql`p.created_at`)},
           'repositories', coalesce(${repositories}, '[]'),
           'merge_targets', coalesce(${mergeTargets}, '[]'),
           'overrides', ${grants(sql`m.user_id is not null`)},
           'collaborators', ${grants(sql`m.user_id is null`)},
           'invitations', ${projectInvitations},
           'instructions', p.instructions, 'environment', ${environment},
           'network', ${network}, 'variables', ${variables(true)}, 'secrets', ${variables(false)},
           'mcp_servers', ${mcpServers}`)}
    from project p where p.organization_id = ${id}
   order by p.created_at, p.id`;

// A file says nothing of another host, to which the server that reads it may not be connected.
const repositories = sql`
  (select json_agg(json_build_object(
            'full_name', r.full_name, 'default_branch', nullif(r.default_branch, 'main'))
                   order by r.created_at, r.id)
     from repository r where r.project_id = p.id and r.host = 'local')`;

const mergeTargets = sql`
  (select json_agg(json_build_object('branch', m.branch, 'stage', m.stage)
                   order by m.branch collate "C")
     from merge_target m where m.project_id = p.id)`;

const environment = sql`
  (select json_build_object(
            'image', e.image, 'setup', e.setup,
            'setup_timeout_minutes', e.setup_timeout_minutes, 'cache', e.cache)
     from project_environment e where e.project_id = p.id)`;

const network = sql`
  (select json_object_agg(n.purpose, n.hosts)
     from (select n.purpose, json_agg(n.host order by n.host) as hosts
             from project_network_host n where n.project_id = p.id
            group by n.purpose order by n.purpose) n)`;

// Of a secret, only the name: it is set again where the file is imported.
const variables = (shown: boolean): Sql => sql`
  (select json_agg(json_build_object(
            'name', v.name, 'stage', v.stage, 'purposes', v.purposes, 'value', v.value)
                   order by v.name, v.stage nulls first)
     from project_variable v
    where v.project_id = p.id and (v.value is not null) = ${shown})`;

// Credentials in them are names of variables; the values of these are not here.
const mcpServers = sql`
  (select json_agg(json_build_object(
            'name', s.name, 'url', s.url, 'headers', nullif(s.headers, '[]'::jsonb),
            'command', s.command, 'args', nullif(s.args, '{}'::text[]),
            'env', nullif(s.env, '[]'::jsonb), 'turns', s.turns, 'read_only', s.read_only)
                   order by s.name collate "C")
     from project_mcp_server s where s.project_id = p.id)`;

const grants = (which: Sql): Sql => sql`
  (select json_agg(json_build_object('user', g.user_id, 'role', r.slug) order by g.user_id)
     from project_grant g
     join role r on r.id = g.role_id
     left join membership m on m.organization_id = p.organization_id and m.user_id = g.user_id
    where g.project_id = p.id and m.user_kind is distinct from 'service' and ${which})`;

const projectInvitations = sql`
  (select json_agg(json_build_object(
            'handle', i.id, 'email', i.email, 'role', r.slug, 'invited_by', i.invited_by_user_id,
            'invited_by_name', nullif(i.invited_by_name, ''),
            'created_at', ${timestampSql(sql`i.created_at`)},
            'expires_at', ${timestampSql(sql`i.expires_at`)}) order by i.created_at, i.id)
     from invitation i join role r on r.id = i.role_id
    where i.project_id = p.id and i.status = 'pending')`;

// Sorted first, so that no more than a batch of plans is in memory.
const tasks = (id: Sql): Sql => sql`
  select ${item(sql`
           'handle', t.id, 'project', t.project_id, 'title', t.title,
           'created_by', t.created_by_user_id, 'created_at', ${timestampSql(sql`t.created_at`)},
           'model', t.model, 'base', t.base, ${capAndArchiving(sql`t`)},
           'plan', (select json_build_object(
                             'revisions', (select json_agg(r.body order by r.version)
                                             from plan_revision r where r.task_id = t.id),
                             'approved_version', plan.approved_version,
                             'authors', ${authors}, 'approvals', ${approvals},
                             'comments', ${comments})
                      from plan where plan.task_id = t.id and ${hasItsTexts})`)}
    from (select t.* from project p join task t on t.project_id = p.id
           where p.organization_id = ${id}
           order by t.created_at, t.id offset 0) t`;

// A plan whose texts were removed with the conversation of an archived task can be read by no one.
const hasItsTexts = sql`
  not exists (select from plan_revision r where r.task_id = t.id and r.body = '')`;

const authors = sql`
  (select json_agg(json_build_object('version', r.version, 'by', r.author_user_id)
                   order by r.version)
     from plan_revision r where r.task_id = t.id and r.author_user_id is not null)`;

const comments = sql`
  (select json_agg(json_build_object(
            'version', c.version, 'start_line', c.start_line, 'end_line', c.end_line,
            'current_start_line', c.current_start_line, 'text', c.text,
            'by', c.author_user_id, 'at', ${timestampSql(sql`c.created_at`)},
            'resolved_by', c.resolved_by_user_id,
            'resolved_at', ${timestampSql(sql`c.resolved_at`)}) order by c.id)
     from plan_comment c where c.task_id = t.id)`;

const approvals = sql`
  (select json_agg(json_build_object(
            'version', a.version, 'by', a.approved_by_user_id,
            'at', ${timestampSql(sql`a.approved_at`)},
            'source', nullif(a.approval_source, 'person')) order by a.version)
     from plan_approval a where a.task_id = t.id)`;
