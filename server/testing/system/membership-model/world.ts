import { sql } from '../../../db/sql.ts';
import type { User } from '../../fixtures/tenants.ts';
import type { Harness } from '../../harness/harness.ts';
import type { ProjectRole, State, Step, WorkspaceRole } from './rules.ts';

/** How many people there are: in the beginning all but the last one are members. */
export const PEOPLE = 5;

/** A workspace with a project, a team and a custom role, and the people around it. */
export type World = Awaited<ReturnType<typeof makeWorld>>;

export async function makeWorld({ db, fixtures, request }: Harness, roles: WorkspaceRole[]) {
  const people: User[] = [];
  for (let i = 0; i < PEOPLE; i++) people.push(await fixtures.user());
  const user = (person: number) => people[person] as User;
  const workspace = await fixtures.workspace(user(0));
  const lead = await fixtures.role(workspace, { actsAs: 'admin' });
  for (const [i, role] of roles.entries())
    await fixtures.member(workspace, user(i + 1), role === 'lead' ? lead : role);
  const project = await fixtures.project({ organizationId: workspace });
  const team = await fixtures.team(workspace);
  const path = `/api/organizations/${workspace}`;
  const onProject = `/api/projects/${project}/people`;
  const asNumber = (id: string) => people.findIndex((each) => each.id === id);

  async function send(step: Step): Promise<{ status: number; text: string }> {
    const { id } = user(step.whom);
    const put = (to: string, body?: object) => ['PUT', to, body] as const;
    const del = (to: string) => ['DELETE', to, undefined] as const;
    const post = (to: string, body?: object) => ['POST', to, body] as const;
    const calls = {
      update: (role: string) =>
        put(`${path}/members/${id}`, role === 'lead' ? { role_id: lead } : { role }),
      remove: () => del(`${path}/members/${id}`),
      leave: () => post(`${path}/leave`),
      transfer: () => post(`${path}/transfer-ownership`, { new_owner_user_id: id, force: true }),
      'join team': () => put(`${path}/teams/${team}/members/${id}`),
      'leave team': () => del(`${path}/teams/${team}/members/${id}`),
      set: (role: string) => put(`${onProject}/${id}`, { role }),
      unset: () => del(`${onProject}/${id}`),
      delete: () => del(path),
    };
    const [method, to, body] = calls[step.do]('role' in step ? step.role : '');
    return request(method, to, { key: user(step.by).key, body });
  }

  /** What the database holds, in the terms of the model. */
  async function read(): Promise<State> {
    const [owner] = await db.many<{ owner_user_id: string }>(
      sql`select owner_user_id from organization where id = ${workspace}`,
    );
    const roles = await db.many<{ user_id: string; slug: string; custom: boolean }>(sql`
      select m.user_id, r.slug, r.organization_id is not null as custom
        from membership m join role r on r.id = m.role_id where m.organization_id = ${workspace}`);
    const inTeam = await db.many<{ user_id: string }>(
      sql`select user_id from team_member where team_id = ${team}`,
    );
    const overrides = await db.many<{ user_id: string; slug: ProjectRole }>(sql`
      select g.user_id, r.slug
        from project_grant g join role r on r.id = g.role_id where g.project_id = ${project}`);
    const active = await db.many<{ id: string }>(sql`
      select id from app_user where id = any(${people.map(({ id }) => id)}::uuid[]) and is_active`);
    return {
      gone: owner === undefined,
      owner: owner === undefined ? -1 : asNumber(owner.owner_user_id),
      roles: Object.fromEntries(
        roles.map(({ user_id, slug, custom }) => [
          asNumber(user_id),
          (custom ? 'lead' : slug) as WorkspaceRole,
        ]),
      ),
      inTeam: inTeam.map(({ user_id }) => asNumber(user_id)).sort(),
      overrides: Object.fromEntries(overrides.map((each) => [asNumber(each.user_id), each.slug])),
      active: active.map(({ id }) => asNumber(id)).sort(),
    };
  }

  return {
    send,
    read,
    /** Joins the workspace, as accepting an invitation does; nothing if they are in it already. */
    join: (person: number) =>
      db.transaction(async (tx) => {
        await tx.many(sql`select id from organization where id = ${workspace} for update`);
        await tx.many(sql`
          insert into membership (organization_id, user_id, role_id)
          select o.id, ${user(person).id}, r.id from organization o, role r
           where o.id = ${workspace} and r.organization_id is null and r.scope = 'workspace'
             and r.slug = 'member'
          on conflict do nothing`);
      }),
    activate: async (person: number, active: boolean) => {
      await db.many(sql`update app_user set is_active = ${active} where id = ${user(person).id}`);
    },
    /** Who sees the people of the project when asking for them, and whom they see. */
    opened: async (): Promise<{ by: number; people: number[] }[]> => {
      const all = people.map(async ({ key }, by) => {
        const { status, body } = await request('GET', onProject, { key });
        if (status !== 200) return [];
        const able = (body as { is_active: boolean; user_id: string }[]).filter(
          ({ is_active }) => is_active,
        );
        return [{ by, people: able.map(({ user_id }) => asNumber(user_id)).sort() }];
      });
      return (await Promise.all(all)).flat();
    },
    /** The owners that the list of members shows to this person. */
    owners: async (by: number): Promise<number[]> => {
      const { body } = await request('GET', `${path}/members`, { key: user(by).key });
      return (body as { user_id: string; is_owner: boolean; role: string }[])
        .filter(({ is_owner, role }) => is_owner || role === 'owner')
        .map(({ user_id }) => asNumber(user_id));
    },
  };
}
