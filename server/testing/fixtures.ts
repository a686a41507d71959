import { randomBytes } from 'node:crypto';
import { post } from '../billing/ledger/ledger.ts';
import { microUsd } from '../billing/ledger/money.ts';
import type { Database } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { createKey } from '../identity/keys/keys.ts';
import { odooFixtures } from './odoo-connections.ts';
import { taskFixtures } from './task-fixtures.ts';
import { variableFixtures } from './variables.ts';

export interface User {
  id: string;
  email: string;
  key: string;
}

type Role = 'admin' | 'member' | 'viewer';

/** A built-in role, or the id of a custom one. */
type RoleOrId = Role | (string & {});

/** Creates what a test needs, each in a tenant of its own; nothing is ever cleaned up. */
export type Fixtures = ReturnType<typeof fixturesOn>;

const unique = () => randomBytes(6).toString('hex');

export function fixturesOn(db: Database) {
  const one = async (query: ReturnType<typeof sql>): Promise<string> =>
    (await db.one<{ id: string }>(query)).id;
  const roleId = (scope: 'workspace' | 'project', role: RoleOrId) =>
    role.length > 10
      ? sql`${role}::uuid`
      : sql`
        (select id from role
          where organization_id is null and scope = ${scope} and slug = ${role})`;

  async function user(
    options: { name?: string | null; email?: string; active?: boolean; twoFactor?: boolean } = {},
  ): Promise<User> {
    const email = options.email ?? `u-${unique()}@example.com`;
    const name = options.name === undefined ? `Person ${unique()}` : options.name;
    const id = await one(sql`
      insert into app_user (email, name, is_active, two_factor)
      values (${email}, ${name}, true, ${options.twoFactor ?? false}) returning id`);
    const key = await createKey(db, { email, name: 'test' });
    if (options.active === false)
      await db.many(sql`update app_user set is_active = false where id = ${id}`);
    return { id, email, key: key?.secret as string };
  }

  /** A workspace with its owner; `balance` is USD text. */
  async function workspace(
    owner: User,
    options: { name?: string; require2fa?: boolean; balance?: string } = {},
  ): Promise<string> {
    const id = await one(sql`
      with o as (
        insert into organization (name, owner_user_id, require_2fa)
        values (${options.name ?? `Workspace ${unique()}`}, ${owner.id},
          ${options.require2fa ?? false}) returning id),
      m as (insert into membership (organization_id, user_id, role_id) select o.id, ${owner.id},
        ${roleId('workspace', 'admin')} from o)
      select id from o`);
    if (options.balance !== undefined) await fund({ organizationId: id }, options.balance);
    return id;
  }

  async function fund(
    whose: { userId?: string; organizationId?: string },
    usd: string,
  ): Promise<void> {
    await db.transaction(async (tx) => {
      const account = await tx.one<{ id: string }>(sql`
        select id from billing_account
         where user_id = ${whose.userId ?? null}
           or organization_id = ${whose.organizationId ?? null} for update`);
      const amount = microUsd(usd) as bigint;
      // A promotion must refer to an audit event.
      const act = await tx.one<{ id: string }>(sql`
        insert into audit_event (action, outcome, target_id, request_id)
        values ('test.fund', 'done', ${account.id}, 'test') returning id`);
      await post(tx, {
        key: `test:${unique()}`,
        kind: amount < 0n ? 'usage' : 'promotion',
        accountId: account.id,
        side: amount < 0n ? 'debit' : 'credit',
        counterpart: amount < 0n ? 'revenue' : 'promotions',
        amount: amount < 0n ? -amount : amount,
        reference: { type: 'test', id: act.id },
      });
    });
  }

  return {
    user,
    workspace,
    fund,
    /** A custom role. */
    role: (
      organizationId: string,
      options: { name?: string; actsAs?: Role; scope?: 'workspace' | 'project' } = {},
    ) =>
      one(sql`
        insert into role (organization_id, scope, slug, name, color, acts_as)
        values (${organizationId}, ${options.scope ?? 'workspace'}, ${`role-${unique()}`},
                ${options.name ?? `Role ${unique()}`}, '#AA5533', ${options.actsAs ?? 'member'})
        returning id`),
    member: async (organizationId: string, member: User, role: RoleOrId = 'member') => {
      await db.many(sql`
        insert into membership (organization_id, user_id, role_id)
        values (${organizationId}, ${member.id}, ${roleId('workspace', role)})`);
    },
    teamMember: async (teamId: string, user: User) => {
      await db.many(sql`
        insert into team_member (team_id, organization_id, user_id)
        select id, organization_id, ${user.id} from team where id = ${teamId}`);
    },
    teamProject: async (teamId: string, projectId: string) => {
      await db.many(sql`
        insert into team_project (team_id, organization_id, project_id)
        select id, organization_id, ${projectId} from team where id = ${teamId}`);
    },
    /** As every operation on members must: workspace first, then the membership. */
    removeMember: (organizationId: string, userId: string) =>
      db.transaction(async (tx) => {
        await tx.one(sql`select id from organization where id = ${organizationId} for update`);
        await tx.many(
          sql`
            delete from membership where organization_id = ${organizationId}
              and user_id = ${userId}`,
        );
      }),
    team: (organizationId: string, options: { name?: string; addToNew?: boolean } = {}) =>
      one(sql`
        insert into team (organization_id, name, add_to_new_projects, can_merge_staging)
        values (${organizationId}, ${options.name ?? `Team ${unique()}`},
          ${options.addToNew ?? false}, true) returning id`),
    project: (owner: { organizationId?: string; userId?: string }) =>
      one(sql`
        insert into project (organization_id, owner_user_id, name, erp_version, erp_edition)
        values (${owner.organizationId ?? null}, ${owner.userId ?? null}, ${`Project ${unique()}`},
          '18.0', 'community')
        returning id`),
    /** An import that waits for a worker, into a repository of a project. */
    repositoryImport: (repositoryId: string, by: { id: string }) =>
      one(sql`
        insert into repository_import (project_id, repository_id, requested_by_user_id, url)
        select project_id, id, ${by.id}, 'https://127.0.0.1:9/shop/web.git'
          from repository where id = ${repositoryId}
        returning id`),
    /** One more than the repository `main` that every project begins with. */
    repository: (projectId: string, options: { name?: string } = {}) =>
      one(sql`
        insert into repository (project_id, host, full_name)
        values (${projectId}, 'local', ${options.name ?? `r-${unique()}`}) returning id`),
    grant: async (projectId: string, user: User, role: RoleOrId) => {
      await db.many(sql`
        insert into project_grant (project_id, user_id, role_id)
          values (${projectId}, ${user.id}, ${roleId('project', role)})`);
    },
    task: (projectId: string, creator: User) =>
      one(
        sql`
          insert into task (project_id, title, created_by_user_id)
            values (${projectId}, 'A task', ${creator.id}) returning id`,
      ),
    ...taskFixtures(db),
    ...odooFixtures(db),
    ...variableFixtures(db),
    /** Writes the next revision of a task's plan, as the agent does, or by a person. */
    revision: (taskId: string, body = `plan ${unique()}`, author?: User) =>
      db.transaction(async (tx) => {
        const plan = await tx.maybeOne<{ version: number }>(
          sql`select version from plan where task_id = ${taskId} for update`,
        );
        const version = (plan?.version ?? 0) + 1;
        await tx.many(
          sql`
            insert into plan_revision (task_id, version, body, author_user_id)
              values (${taskId}, ${version}, ${body}, ${author?.id ?? null})`,
        );
        await tx.many(
          plan === undefined
            ? sql`insert into plan (task_id, version) values (${taskId}, ${version})`
            : sql`update plan set version = ${version} where task_id = ${taskId}`,
        );
        await tx.many(
          sql`update task set status = 'awaiting_approval' where id = ${taskId} and status = 'ready'`,
        );
        return version;
      }),
    /** On the first line of the plan's first version. */
    planComment: (taskId: string, author: User) =>
      one(sql`
        insert into plan_comment
               (task_id, version, start_line, end_line, current_start_line, text, author_user_id)
        values (${taskId}, 1, 1, 1, 1, 'A comment', ${author.id}) returning id`),
    diffComment: (taskId: string, author: User) =>
      one(sql`
        insert into diff_comment (task_id, commit_sha, path, side, line, line_text, text,
                                  author_user_id)
        values (${taskId}, ${'a'.repeat(40)}, 'a.md', 'new', 1, '# A', 'A comment', ${author.id})
        returning id`),
    card: async (owner: User, token = 'pm_card_visa'): Promise<string> =>
      one(sql`
        insert into payment_method (id, user_id, token, brand, last4)
        values (${`pm_${randomBytes(12).toString('hex')}`}, ${owner.id}, ${token}, 'visa', '4242')
          returning id`),
    /** A charge of 5.00 for a person's own balance, which they may confirm. */
    attendedTopUp: async (owner: User): Promise<string> => {
      const intent = `pi_sandbox_${unique()}`;
      return one(sql`
        with card as (
          insert into payment_method (id, user_id, token, brand, last4)
          values (${`pm_${randomBytes(12).toString('hex')}`}, ${owner.id}, 'pm_card_visa', 'visa',
                  '4242') returning id),
        intent as (
          insert into sandbox_intent (id, idempotency_key, token, amount, status)
          values (${intent}, ${intent}, 'pm_card_visa', 5000000, 'requires_confirmation')
          returning id),
        begun as (
          insert into top_up (account_id, user_id, request_id, payment_method_id, amount, status,
                              processor, processor_id)
          select a.id, ${owner.id}, 'test', card.id, 5000000, 'processing', 'sandbox', intent.id
            from billing_account a, card, intent where a.user_id = ${owner.id} returning id)
        insert into attended_top_up (top_up_id, until)
        select id, now() + interval '30 minutes' from begun returning top_up_id as id`);
    },
    /** Shares a card of a member with the others of a workspace. */
    cardShare: async (organizationId: string, cardId: string) => {
      await db.many(sql`
        insert into card_share (payment_method_id, organization_id, user_id)
        select id, ${organizationId}, user_id from payment_method where id = ${cardId}`);
    },
    /** An attempt to save a card, which the sandbox has completed and no one has looked at since. */
    cardSetup: (owner: User): Promise<string> =>
      one(sql`
        with given as (
          insert into sandbox_setup (id, token) values (${`seti_${unique()}`}, 'pm_card_visa')
          returning id)
        insert into card_setup (id, user_id, request_id, processor, processor_id)
        select gen_random_uuid(), ${owner.id}, 'test', 'sandbox', id from given returning id`),
    invitation: (
      organizationId: string,
      options: {
        email?: string;
        role?: RoleOrId;
        status?: string;
        expiresInHours?: number;
        by?: User;
        createdAt?: Date;
      } = {},
    ) =>
      one(sql`
        insert into invitation (organization_id, email, role_id, status, invited_by_user_id,
          invited_by_name, created_at, expires_at)
        values (${organizationId}, ${options.email ?? `i-${unique()}@example.com`},
          ${roleId('workspace', options.role ?? 'member')},
                ${options.status ?? 'pending'}, ${options.by?.id ?? null},
                ${options.by ? 'Inviter' : ''}, ${options.createdAt ?? new Date()},
                now() + make_interval(hours => ${options.expiresInHours ?? 168}))
        returning id`),
    /** To a project. */
    projectInvitation: (
      projectId: string,
      options: { email?: string; role?: RoleOrId; status?: string; expiresInHours?: number } = {},
    ) =>
      one(sql`
        insert into invitation (project_id, scope, email, role_id, status, expires_at)
        values (${projectId}, 'project', ${options.email ?? `i-${unique()}@example.com`},
                ${roleId('project', options.role ?? 'member')}, ${options.status ?? 'pending'},
                now() + make_interval(hours => ${options.expiresInHours ?? 168}))
        returning id`),
    /** USD text of an account's balance. */
    balance: async (whose: { userId?: string; organizationId?: string }): Promise<bigint> =>
      (
        await db.one<{ balance: bigint }>(sql`
          select balance from billing_account
           where user_id = ${whose.userId ?? null}
             or organization_id = ${whose.organizationId ?? null}`)
      ).balance,
  };
}
