import { type Sql, sql } from '../../server/db/sql.ts';
import type { Table } from './rows.ts';

/**
 * One statement per table, for any number of rows: `rows` is their JSON. Triggers create the
 * accounts of users and workspaces.
 */
export const INSERT: Record<Table, (rows: string, importId: string) => Sql> = {
  app_user: (rows) => sql`
    insert into app_user (id, email, name, is_active, two_factor)
    select * from json_to_recordset(${rows})
             r(id uuid, email text, name text, is_active boolean, two_factor boolean)`,

  api_key: (rows) => sql`
    insert into api_key (user_id, name, secret_hash)
    select user_id, name, decode(secret_hash, 'hex')
      from json_to_recordset(${rows}) r(user_id uuid, name text, secret_hash text)`,

  payment_method: (rows) => sql`
    -- One after the other, as they stand in the file: the first card of a person is their default.
    insert into payment_method (id, user_id, token, brand, last4, created_at)
    select r.id, r.user_id, r.token, r.brand, r.last4, now() + r.place * interval '1 microsecond'
      from json_to_recordset(${rows})
             r(id text, user_id uuid, token text, brand text, last4 text, place integer)`,

  organization: (rows) => sql`
    insert into organization (id, name, color, icon, require_2fa, admins_manage_admins,
                              instructions, owner_user_id)
    select * from json_to_recordset(${rows})
             r(id uuid, name text, color text, icon text, require_2fa boolean,
               admins_manage_admins boolean, instructions text, owner_user_id uuid)`,

  role: (rows) => sql`
    insert into role (id, organization_id, slug, scope, name, color, acts_as)
    select * from json_to_recordset(${rows})
             r(id uuid, organization_id uuid, slug text, scope text, name text, color text,
               acts_as text)`,

  membership: (rows) => sql`
    insert into membership (organization_id, user_id, role_id)
    select * from json_to_recordset(${rows}) r(organization_id uuid, user_id uuid, role_id uuid)`,

  project: (rows) => sql`
    insert into project (id, organization_id, owner_user_id, name, erp_version, erp_edition,
                         default_model, plan_approval, direct_push, spend_cap, instructions,
                         archived_at, created_at)
    select r.id, r.organization_id, r.owner_user_id, r.name, r.erp_version, r.erp_edition,
           r.default_model, r.plan_approval, r.direct_push, r.spend_cap, r.instructions,
           case when r.archived then coalesce(r.archived_at, now()) end, coalesce(r.created_at, now())
      from json_to_recordset(${rows})
             r(id uuid, organization_id uuid, owner_user_id uuid,
               name text, erp_version text, erp_edition text, default_model text,
               plan_approval text, direct_push text, spend_cap bigint, instructions text,
               archived boolean, archived_at timestamptz, created_at timestamptz)`,

  // What the trigger on new projects added, where the file says something else.
  begun_project: (rows) => sql`
    with given as (
      select * from json_to_recordset(${rows})
               r(project_id uuid, repositories boolean, merge_targets boolean)),
    targets as (
      delete from merge_target t using given
       where t.project_id = given.project_id and given.merge_targets)
    delete from repository t using given
     where t.project_id = given.project_id and given.repositories`,

  // The order of the file is that in which they were attached.
  repository: (rows) => sql`
    insert into repository (project_id, host, full_name, default_branch, created_at)
    select r.project_id, 'local', r.full_name, r.default_branch,
           now() + r.place * interval '1 microsecond'
      from json_to_recordset(${rows})
             r(project_id uuid, place integer, full_name text, default_branch text)`,

  merge_target: (rows) => sql`
    insert into merge_target (project_id, branch, stage)
    select * from json_to_recordset(${rows}) r(project_id uuid, branch text, stage text)`,

  project_environment: (rows) => sql`
    insert into project_environment (project_id, image, setup, setup_timeout_minutes, cache)
    select * from json_to_recordset(${rows})
             r(project_id uuid, image text, setup text, setup_timeout_minutes integer, cache text[])`,

  project_network_host: (rows) => sql`
    insert into project_network_host (project_id, purpose, host)
    select * from json_to_recordset(${rows}) r(project_id uuid, purpose text, host text)`,

  project_variable: (rows) => sql`
    insert into project_variable (project_id, name, stage, purposes, value, updated_by_user_id)
    select * from json_to_recordset(${rows})
             r(project_id uuid, name text, stage text, purposes text[], value text,
               updated_by_user_id uuid)`,

  project_mcp_server: (rows) => sql`
    insert into project_mcp_server (project_id, name, url, host, port, headers, command, args, env,
                                    turns, read_only, updated_by_user_id)
    select project_id, name, url, host, port, headers, command, args, env, turns, read_only,
           updated_by_user_id
      from json_to_recordset(${rows})
             r(project_id uuid, name text, url text, host text, port integer, headers jsonb,
               command text, args text[], env jsonb, turns text[], read_only boolean,
               updated_by_user_id uuid)`,

  project_grant: (rows) => sql`
    insert into project_grant (project_id, user_id, role_id)
    select * from json_to_recordset(${rows}) r(project_id uuid, user_id uuid, role_id uuid)`,

  team: (rows) => sql`
    insert into team (id, organization_id, name, add_to_new_projects,
                      can_create_projects, can_merge_production, can_merge_staging)
    select * from json_to_recordset(${rows})
             r(id uuid, organization_id uuid, name text, add_to_new_projects boolean,
               can_create_projects boolean, can_merge_production boolean, can_merge_staging boolean)`,

  team_member: (rows) => sql`
    insert into team_member (team_id, organization_id, user_id)
    select * from json_to_recordset(${rows}) r(team_id uuid, organization_id uuid, user_id uuid)`,

  team_project: (rows) => sql`
    insert into team_project (team_id, organization_id, project_id)
    select * from json_to_recordset(${rows})
             r(team_id uuid, organization_id uuid, project_id uuid)`,

  // An invitation is valid for seven days (ruling 9.5), so where the file does not say when it was
  // created, its expiry does; it must be in the past then.
  invitation: (rows) => sql`
    insert into invitation (id, organization_id, project_id, scope, email, role_id, status,
                            invited_by_user_id, invited_by_name, created_at, expires_at)
    select r.id, r.organization_id, r.project_id, r.scope, r.email, r.role_id, r.status,
           r.invited_by_user_id, r.invited_by_name,
           coalesce(r.created_at, least(now(), expiry.at - interval '7 days')
                                  - r.age * interval '1 millisecond'), expiry.at
      from json_to_recordset(${rows})
             r(id uuid, organization_id uuid, project_id uuid, scope text, email text, role_id uuid,
               status text, expires_in_hours float8, expires_at timestamptz, created_at timestamptz,
               invited_by_user_id uuid, invited_by_name text, age integer)
      cross join lateral (
        select coalesce(r.expires_at, now() + r.expires_in_hours * interval '1 hour') as at) expiry`,

  invitation_team: (rows) => sql`
    insert into invitation_team (invitation_id, organization_id, team_id)
    select * from json_to_recordset(${rows})
             r(invitation_id uuid, organization_id uuid, team_id uuid)`,

  task: (rows) => sql`
    insert into task (id, project_id, title, status, created_by_user_id, model, spend_cap, base,
                      archived_at, created_at, last_message)
    select r.id, r.project_id, r.title, r.status, r.created_by_user_id, r.model, r.spend_cap,
           r.base, case when r.archived then coalesce(r.archived_at, now()) end,
           coalesce(r.created_at, now()), r.last_message
      from json_to_recordset(${rows})
             r(id uuid, project_id uuid, title text, status text, created_by_user_id uuid,
               model text, spend_cap bigint, base text, archived boolean, archived_at timestamptz,
               created_at timestamptz, last_message integer)`,

  task_message: (rows) => sql`
    insert into task_message (task_id, number, role, author_user_id, content)
    select * from json_to_recordset(${rows})
             r(task_id uuid, number integer, role text, author_user_id uuid, content text)`,

  plan_revision: (rows) => sql`
    insert into plan_revision (task_id, version, body, author_user_id)
    select * from json_to_recordset(${rows})
             r(task_id uuid, version integer, body text, author_user_id uuid)`,

  plan_approval: (rows) => sql`
    insert into plan_approval (task_id, version, approved_by_user_id, approved_at, approval_source)
    select r.task_id, r.version, r.approved_by_user_id, coalesce(r.approved_at, now()),
           r.approval_source
      from json_to_recordset(${rows})
             r(task_id uuid, version integer, approved_by_user_id uuid, approved_at timestamptz,
               approval_source text)`,

  plan: (rows) => sql`
    insert into plan (task_id, version, approved_version, approved_by_user_id, approved_at,
                      policy_version)
    select r.task_id, r.version, r.approved_version, r.approved_by_user_id,
           case when r.approved_version is not null then coalesce(r.approved_at, now()) end,
           r.policy_version
      from json_to_recordset(${rows})
             r(task_id uuid, version integer, approved_version integer, approved_by_user_id uuid,
               approved_at timestamptz, policy_version integer)`,

  plan_comment: (rows) => sql`
    insert into plan_comment (task_id, version, start_line, end_line, current_start_line, text,
                              author_user_id, resolved_at, resolved_by_user_id, created_at)
    select * from json_to_recordset(${rows})
             r(task_id uuid, version integer, start_line integer, end_line integer,
               current_start_line integer, text text, author_user_id uuid,
               resolved_at timestamptz, resolved_by_user_id uuid, created_at timestamptz)`,

  // The same as `post` in ledger.ts, but for many accounts: the database updates each balance when
  // its row is inserted.
  balance: (rows, importId) => sql`
    insert into ledger_transfer (idempotency_key, kind, debit_account_id, credit_account_id,
                                 amount, account_id, reference_type, reference_id)
    select 'import:' || a.id, 'promotion', promotions.id, a.id,
           r.amount, a.id, 'world_import', ${importId}::uuid
      from json_to_recordset(${rows}) r(owner_id uuid, amount bigint)
      join billing_account a on coalesce(a.user_id, a.organization_id) = r.owner_id
      cross join (select id from billing_account where system_name = 'promotions') promotions`,
};
