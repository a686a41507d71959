import { type Sql, sql } from '../../api/db/sql.ts';
import type { Table } from './rows.ts';

/**
 * One statement per table, for any number of rows: `rows` is their JSON. Built-in roles are those
 * without a workspace. Triggers create the accounts of users and workspaces.
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
    insert into payment_method (id, user_id, token, brand, last4)
    select * from json_to_recordset(${rows})
             r(id text, user_id uuid, token text, brand text, last4 text)`,

  organization: (rows) => sql`
    insert into organization (id, name, color, icon, require_2fa, owner_user_id)
    select * from json_to_recordset(${rows})
             r(id uuid, name text, color text, icon text, require_2fa boolean, owner_user_id uuid)`,

  membership: (rows) => sql`
    insert into membership (organization_id, user_id, role_id)
    select r.organization_id, r.user_id, role.id
      from json_to_recordset(${rows}) r(organization_id uuid, user_id uuid, role text)
      join role on role.slug = r.role and role.scope = 'workspace'
        and role.organization_id is null`,

  project: (rows) => sql`
    insert into project (id, organization_id, owner_user_id, name, erp_version, erp_edition)
    select * from json_to_recordset(${rows})
             r(id uuid, organization_id uuid, owner_user_id uuid,
               name text, erp_version text, erp_edition text)`,

  project_grant: (rows) => sql`
    insert into project_grant (project_id, user_id, role_id)
    select r.project_id, r.user_id, role.id
      from json_to_recordset(${rows}) r(project_id uuid, user_id uuid, role text)
      join role on role.slug = r.role and role.scope = 'project' and role.organization_id is null`,

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

  // An invitation is valid for seven days (ruling 9.5), so its expiry determines when it was
  // created, which must be in the past.
  invitation: (rows) => sql`
    insert into invitation (id, organization_id, email, role_id, status,
                            invited_by_user_id, invited_by_name, created_at, expires_at)
    select r.id, r.organization_id, r.email, role.id, r.status,
           r.invited_by_user_id, r.invited_by_name,
           least(now(), expiry.at - interval '7 days') - r.age * interval '1 millisecond', expiry.at
      from json_to_recordset(${rows})
             r(id uuid, organization_id uuid, email text, role text, status text,
               expires_in_hours float8, invited_by_user_id uuid, invited_by_name text, age integer)
      cross join lateral (select now() + r.expires_in_hours * interval '1 hour' as at) expiry
      join role on role.slug = r.role and role.scope = 'workspace'
        and role.organization_id is null`,

  task: (rows) => sql`
    insert into task (id, project_id, title, created_by_user_id)
    select * from json_to_recordset(${rows})
             r(id uuid, project_id uuid, title text, created_by_user_id uuid)`,

  plan_revision: (rows) => sql`
    insert into plan_revision (task_id, version, body)
    select * from json_to_recordset(${rows}) r(task_id uuid, version integer, body text)`,

  plan_approval: (rows) => sql`
    insert into plan_approval (task_id, version, approved_by_user_id)
    select * from json_to_recordset(${rows})
             r(task_id uuid, version integer, approved_by_user_id uuid)`,

  plan: (rows) => sql`
    insert into plan (task_id, version, approved_version, approved_by_user_id, approved_at)
    select r.task_id, r.version, r.approved_version,
           case when r.approved_version is not null then r.approved_by_user_id end,
           case when r.approved_version is not null then now() end
      from json_to_recordset(${rows})
             r(task_id uuid, version integer, approved_version integer, approved_by_user_id uuid)`,

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
