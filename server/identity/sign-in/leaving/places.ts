import type { Tx } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';

/** What a person belongs to, and what belongs to them. */
export interface Theirs {
  /** Workspaces of others. */
  joined: { organizationId: string }[];
  owned: { organizationId: string; name: string }[];
  /** Personal projects, and those of the workspaces that they own. */
  projects: { projectId: string; organizationId: string | null; name: string }[];
}

/** Why a person may not leave yet, what to do about it, and what it is about. */
interface Blocker {
  code: string;
  message: string;
  organization_id?: string;
  project_id?: string;
  task_id?: string;
}

/** Of each kind, so many are named: the others follow when these are resolved. */
const NAMED = 20;

/**
 * Locks the workspaces of a person, then the projects and the accounts of both, in the order of every
 * other change of them, so that no one joins them meanwhile and no money arrives. The person is locked
 * already.
 */
export async function lockWhatIsTheirs(tx: Tx, userId: string): Promise<Theirs> {
  const workspaces = await tx.many<{ organizationId: string; name: string; owns: boolean }>(sql`
    select o.id as "organizationId", o.name, o.owner_user_id = ${userId} as owns
      from organization o
     where o.id in (select organization_id from membership where user_id = ${userId})
     order by o.id for update of o`);
  const owned = workspaces.filter(({ owns }) => owns);
  const ids = owned.map(({ organizationId }) => organizationId);
  const projects = await tx.many<Theirs['projects'][number]>(sql`
    select id as "projectId", organization_id as "organizationId", name from project
     where owner_user_id = ${userId} or organization_id = any(${ids}::uuid[])
     order by id for update`);
  await tx.many(sql`
    select id from billing_account
     where user_id = ${userId} or organization_id = any(${ids}::uuid[]) order by id for update`);
  return { joined: workspaces.filter(({ owns }) => !owns), owned, projects };
}

/** What others depend on, and what is at work. Lock what is theirs first. */
export async function placesBlocked(
  tx: Tx,
  userId: string,
  { owned, projects }: Theirs,
): Promise<Blocker[]> {
  const workspaces = await tx.many<{ id: string; name: string; others: boolean; usd: string }>(sql`
    select o.id, o.name, ${withOthers(userId)} as others,
           trim_scale(a.balance::numeric / 1000000)::text as usd
      from organization o join billing_account a on a.organization_id = o.id
     where o.id = any(${owned.map(({ organizationId }) => organizationId)}::uuid[])
       and (${withOthers(userId)} or a.balance <> 0 or a.held > 0
            or exists (select from top_up t where t.account_id = a.id
                          and t.status in ('created', 'processing')))
     order by lower(o.name), o.id limit ${NAMED}`);
  const shared = await tx.many<{ id: string; name: string }>(sql`
    select p.id, p.name from project p
     where p.owner_user_id = ${userId}
       and exists (select from project_grant g where g.project_id = p.id)
     order by lower(p.name), p.id limit ${NAMED}`);
  const busy = await tx.many<{ id: string; title: string }>(sql`
    select t.id, t.title from task t
     where t.project_id = any(${projects.map(({ projectId }) => projectId)}::uuid[])
       and exists (select from task_turn u where u.task_id = t.id and u.ended_at is null)
     order by t.id limit ${NAMED}`);
  return [
    ...workspaces.map(({ id, name, others, usd }) =>
      others
        ? {
            code: 'workspace_with_others',
            message: `You own “${name}”, which others work in: transfer its ownership, or delete it`,
            organization_id: id,
          }
        : {
            code: 'workspace_with_balance',
            message: `The balance of “${name}” is ${usd} USD, or not settled: delete that workspace, which gives you its balance, or add funds if it is in debt`,
            organization_id: id,
          },
    ),
    ...shared.map(({ id, name }) => ({
      code: 'project_with_others',
      message: `Others work in your project “${name}”: give it to a workspace, remove them, or delete it`,
      project_id: id,
    })),
    ...busy.map(({ id, title }) => ({
      code: 'work_running',
      message: `An agent works on “${title}”: cancel the task, or wait until it has ended`,
      task_id: id,
    })),
  ];
}

// People, not service accounts: these belong to the workspace.
const withOthers = (userId: string) => sql`(
  exists (select from membership m
           where m.organization_id = o.id and m.user_id <> ${userId} and m.user_kind = 'person')
  or exists (select from project p join project_grant g on g.project_id = p.id
                    join app_user u on u.id = g.user_id
              where p.organization_id = o.id and g.user_id <> ${userId} and u.kind = 'person'))`;
