import { nothing, type Sql, sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';
import { acrossWorkspaces } from './account.ts';
import { OWNER, PROJECT_ADMIN } from './built-in-roles.ts';
import { type BuiltInRole, type Permission, rolesThatMay } from './roles.ts';

/** The project that the caller acts on, and the built-in role they act with. */
export interface InProject {
  project_id: string;
  organization_id: string | null;
  acts_as: BuiltInRole;
}

/** A project, for someone who can open it; `role_id` is the role they act with. */
export interface Project extends InProject {
  owner_user_id: string | null;
  role_id: string;
}

/**
 * Joins that add `standing` to rows `p` of `project`: the caller's role on each (`acts_as`,
 * `role_id`; null without one), and `lacks_two_factor`. The same rules as in the view
 * project_person, which lists a project's people, but for one person: selecting from the view would
 * plan the whole list. A property test holds the two equal in every combination (ruling 8.7).
 *
 * The limit keeps the membership a look-up of one row: as a plain join, PostgreSQL may read all
 * members of each workspace and then look for the caller, because on average they are few.
 */
export const standing = sql`
  cross join caller
  left join organization o on o.id = p.organization_id
  left join lateral (
    select user_id, role_id from membership
     where organization_id = p.organization_id and user_id = caller.user_id limit 1) m on true
  left join role wr on wr.id = m.role_id
  left join project_grant g on g.project_id = p.id and g.user_id = caller.user_id
  left join role pr on pr.id = g.role_id
  cross join lateral (
    select case when p.owner_user_id = caller.user_id then 'admin'
                when o.owner_user_id = m.user_id then 'owner'
                when wr.acts_as = 'admin' or pr.id is null then wr.acts_as
                else pr.acts_as end as acts_as,
           case when p.owner_user_id = caller.user_id then ${PROJECT_ADMIN}
                when o.owner_user_id = m.user_id then ${OWNER}
                when wr.acts_as = 'admin' or pr.id is null then wr.id
                else pr.id end as role_id,
           m.user_id is not null and o.require_2fa and not caller.two_factor as lacks_two_factor
  ) standing`;

/**
 * Why the caller of a row with `standing` has none of these roles, or null. The user of a personal
 * project acts as its admin, and also may what only an owner may.
 */
export const deniedUnless = (roles: Sql): Sql => sql`
  case when standing.lacks_two_factor then 'two_factor_required'
       when (case when p.owner_user_id = caller.user_id then 'owner' else standing.acts_as end
             = any(${roles})) is not true
            then 'forbidden' end`;

/** The roles with a permission, for `deniedUnless`. */
export const allowed = (permission: Permission): Sql => sql`${rolesThatMay(permission)}::text[]`;

/** Why the caller of a row with `standing` does not have the permission, or null. */
export const deniedBecause = (permission: Permission): Sql => deniedUnless(allowed(permission));

/**
 * SQL: the projects `p` on which the caller of `acrossWorkspaces` has the permission, and their
 * `person` there. The view decides who may open a project and as what (ruling 8.7); the person is a
 * subquery because PostgreSQL moves that condition into the view, and no join. A caller adds its
 * own conditions on `p` with `and`.
 */
export const projectsOfCaller = (permission: Permission): Sql => sql`
  authorized
    join project_person person on person.user_id = (select user_id from caller)
         and person.hidden_reason is null
         and person.acts_as = any(${allowed(permission)})
    join project p on p.id = person.project_id
         and (authorized.organization_id is null
              or authorized.organization_id = p.organization_id)`;

/**
 * The projects that the caller can open, for a stream about all of them or, with `project_id`, about
 * that one, which is then refused as everywhere. While it is open, it gets `projects` again and again;
 * its object is the project, or the caller.
 */
export const onProjectsOrOne: Access<
  { query: { project_id?: string } },
  { organization_id: string | null }
> = {
  sql: ({ query: { project_id } }, lock) =>
    project_id === undefined
      ? acrossWorkspaces.sql({}, lock)
      : onProject('open_project').sql({ params: { project_id } }, lock),
  many: sql`
    select caller.number, caller.scope as organization_id, null::text as denied_because,
           array(select p.id::text
                   from project_person person join project p on p.id = person.project_id
                  where person.user_id = caller.user_id and person.hidden_reason is null
                    and person.acts_as = any(${allowed('open_project')})
                    and (caller.scope is null or caller.scope = p.organization_id)) as projects
      from caller where caller.object_id = caller.user_id
     union all
    select caller.number, p.organization_id, ${deniedBecause('open_project')}, array[p.id::text]
      from project p ${standing} where p.id = caller.object_id`,
};

/** The project in the path, for people whose role on it has the permission. */
export const onProject = (
  permission: Permission,
): Access<{ params: { project_id: string } }, Project> => ({
  permission,
  sql: ({ params: { project_id } }, lock) => sql`
    access as materialized (
      select true as found, p.id as project_id, p.organization_id, p.owner_user_id,
             standing.acts_as, standing.role_id, ${deniedBecause(permission)} as denied_because
        from (select * from project where id = ${project_id}
              ${lock ? sql`for no key update` : nothing}) p ${standing})`,
});

/**
 * The same for a change of who may open the project or of where it belongs: its workspace and then
 * the project are locked (ruling 5.6), and only then is the permission checked.
 */
export const onLockedProject = (
  permission: Permission,
): Access<{ params: { project_id: string } }, Project> => ({
  ...onProject(permission),
  locks: ({ params: { project_id } }) => sql`select lock_project(${project_id})`,
});

/** A person on a project. `project_role`: the slug of the role set for them there, if any. */
interface ProjectPerson extends InProject {
  is_org_member: boolean;
  is_owner: boolean;
  project_role: string | null;
}

/**
 * The person in the path, on the project in the path, for people whose role has the permission; for
 * that person the permission `themselves` is enough. Everyone else is refused whoever the person
 * is, so that no one learns who is on the project by trying; they only learn that they themselves
 * are not (any more). All columns of `ProjectPerson` that begin with `is_` are null for a person
 * who is not on it.
 */
export const onPerson = (
  permission: Permission,
  themselves: Permission = permission,
): Access<{ params: { project_id: string; user_id: string } }, ProjectPerson> => ({
  permission,
  locks: ({ params: { project_id } }) => sql`select lock_project(${project_id})`,
  sql: ({ params: { project_id, user_id } }) => sql`
    person as materialized (
      select * from project_person where project_id = ${project_id} and user_id = ${user_id}),
    access as materialized (
      select true as found, p.id as project_id, p.organization_id, standing.acts_as,
             person.is_org_member, person.is_owner, person.project_role, verdict.denied_because
        from (select * from project where id = ${project_id}) p ${standing}
        cross join lateral (
          select ${deniedUnless(sql`
            case when caller.user_id = ${user_id}
                 then ${allowed(themselves)} else ${allowed(permission)} end`)} as denied_because
        ) verdict
        left join person on true
       where person.user_id is not null or verdict.denied_because is null
          or caller.user_id <> ${user_id})`,
});

/** The open invitation in the path, to the project in the path. */
export const onProjectInvitation = (
  permission: Permission,
): Access<
  { params: { project_id: string; invitation_id: string } },
  InProject & { invitation_id: string }
> => ({
  permission,
  sql: ({ params: { project_id, invitation_id } }) => sql`
    access as materialized (
      select true as found, p.id as project_id, p.organization_id, standing.acts_as,
             i.id as invitation_id, ${deniedBecause(permission)} as denied_because
        from (select id, project_id from invitation
               where id = ${invitation_id} and project_id = ${project_id}
                 and status = 'pending') i
        join project p on p.id = i.project_id ${standing})`,
});

/**
 * The task in the path, by the permissions on its project; for whoever created the task,
 * `ofAuthor` is enough.
 */
export const onTask = (
  permission: Permission,
  ofAuthor: Permission = permission,
): Access<{ params: { task_id: string } }, InProject & { task_id: string }> => ({
  permission,
  many: sql`
    select caller.number, p.organization_id, ${deniedBecause(permission)} as denied_because
      from task t join project p on p.id = t.project_id ${standing}
     where t.id = caller.object_id`,
  sql: ({ params: { task_id } }, lock) => sql`
    access as materialized (
      select true as found, t.id as task_id, p.id as project_id, p.organization_id,
             standing.acts_as,
             ${
               ofAuthor === permission
                 ? deniedBecause(permission)
                 : deniedUnless(sql`
                     case when t.created_by_user_id = caller.user_id
                          then ${allowed(ofAuthor)} else ${allowed(permission)} end`)
             } as denied_because
        from (select * from task where id = ${task_id}
              ${lock ? sql`for no key update` : nothing}) t
        join project p on p.id = t.project_id ${standing})`,
});

/**
 * Why the caller of a row with `standing` does not see what pays for the project, or null. A role
 * on the project alone is not enough: the balance is that of the workspace.
 */
const billingDenied = (permission: Permission): Sql => sql`
  case when standing.lacks_two_factor then 'two_factor_required'
       when p.owner_user_id = caller.user_id or o.owner_user_id = m.user_id
            or wr.acts_as = any(${allowed(permission)}) then null
       else 'forbidden' end`;

/** The task in the path, for those who see the balance that pays for it. */
export const onTaskBilling = (
  permission: Permission,
): Access<{ params: { task_id: string } }, InProject & { task_id: string }> => ({
  permission,
  sql: ({ params: { task_id } }) => sql`
    access as materialized (
      select true as found, t.id as task_id, p.id as project_id, p.organization_id,
             standing.acts_as, ${billingDenied(permission)} as denied_because
        from (select * from task where id = ${task_id}) t
        join project p on p.id = t.project_id ${standing})`,
});

/** SQL: whether the caller sees what pays for this project. */
export const seesBillingOf = (projectId: Sql): Sql => sql`
  (select ${billingDenied('see_billing')} is null
     from (select * from project where id = ${projectId}) p ${standing})`;

/**
 * The comment in the path, of a table, on the task in the path: its author needs one permission on
 * the project, and everybody else another.
 */
const onComment = (
  table: Sql,
  ofAuthor: Permission,
  ofOthers: Permission,
): Access<
  { params: { task_id: string; comment_id: string } },
  InProject & { task_id: string; comment_id: string }
> => ({
  permission: ofAuthor,
  sql: ({ params: { task_id, comment_id } }) => sql`
    access as materialized (
      select true as found, t.id as task_id, p.id as project_id, p.organization_id,
             standing.acts_as, c.id as comment_id,
             ${deniedUnless(sql`
               case when c.author_user_id = caller.user_id
                    then ${allowed(ofAuthor)} else ${allowed(ofOthers)} end`)} as denied_because
        from (select id, task_id, author_user_id from ${table}
               where id = ${comment_id} and task_id = ${task_id}) c
        join task t on t.id = c.task_id
        join project p on p.id = t.project_id ${standing})`,
});

/** A comment on the plan of the task. */
export const onPlanComment = (ofAuthor: Permission, ofOthers: Permission) =>
  onComment(sql`plan_comment`, ofAuthor, ofOthers);

/** A comment on the code of the task. */
export const onDiffComment = (ofAuthor: Permission, ofOthers: Permission) =>
  onComment(sql`diff_comment`, ofAuthor, ofOthers);
