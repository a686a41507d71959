import Type from 'typebox';
import type { ProjectMove } from '../access/new-project.ts';
import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { changedAt, type Shown, shownAs } from '../http/change.ts';
import { apiError } from '../http/errors.ts';
import { object, uuid } from '../http/input/fields.ts';
import type { Answer } from '../http/route.ts';
import { asSeenByCaller, project } from './project.ts';

/** What one workspace or one person may own, so that a complete list stays an answer. */
export const MOST_PROJECTS = 10_000;

export const tooManyProjects = apiError(
  409,
  'too_many_projects',
  'A workspace or a person owns at most 10,000 projects: delete or transfer one first',
);

/** The body that names the next owner of a project. */
export const nextOwner = object({
  organization_id: Type.Optional(
    uuid({ description: 'The workspace; without it, the project becomes personal.' }),
  ),
});

/**
 * Gives a project to its next owner. Who owns it needs no role on it; who brings it into a
 * workspace administers it there, as who creates one does. Lock the project first. Throws
 * tooManyProjects.
 */
export async function give(tx: Tx, move: ProjectMove, callerId: string): Promise<void> {
  const { project_id, next } = move;
  const { full } = await tx.one<{ full: boolean }>(sql`
    select count(*) >= ${MOST_PROJECTS} as full
      from (select from project
             where organization_id = ${next.organization_id}
                or owner_user_id = ${next.owner_user_id}
             limit ${MOST_PROJECTS}) owned`);
  if (full) throw tooManyProjects();
  await tx.one(sql`
    update project
       set organization_id = ${next.organization_id},
           owner_user_id = ${next.owner_user_id},
           updated_at = ${changedAt(sql`updated_at`)}
     where id = ${project_id}
       and organization_id is not distinct from ${move.organization_id}
       and owner_user_id is not distinct from ${move.owner_user_id}
    returning id`);
  if (next.owner_user_id !== null) {
    await tx.many(sql`
      delete from project_grant
       where project_id = ${project_id} and user_id = ${next.owner_user_id}`);
  } else if (next.becomes_admin) {
    await tx.many(sql`
      insert into project_grant (project_id, user_id, role_id)
      values (${project_id}, ${callerId}, ${next.role_id})
      on conflict (project_id, user_id) do update set role_id = excluded.role_id`);
  }
}

/** The project as the caller, who now acts with the role of its next owner, sees it. */
export async function showGiven(tx: Tx, move: ProjectMove, callerId: string): Promise<Answer> {
  const shown = await tx.one<Shown>(sql`
    with caller as (select ${callerId}::uuid as user_id, false as read_only),
    authorized as (select ${move.next.role_id}::uuid as role_id)
    select ${project.columns}
      from project t cross join authorized ${asSeenByCaller}
     where t.id = ${move.project_id}`);
  return shownAs(200, shown);
}
