import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { movedLines } from './moved-lines.ts';
import { planDiff } from './plan-diff.ts';

/** The current version of a plan, and where the lines of its comments are. */
export interface CurrentVersion {
  version: number;
  text: string;
  comments: { id: string; start: number; end: number }[];
}

/** The comments of a plan `t` that are not outdated, as JSON for `CurrentVersion`. */
export const placedComments = sql`
  coalesce((select json_agg(json_build_object(
                     'id', c.id, 'start', c.current_start_line,
                     'end', c.current_start_line + c.end_line - c.start_line))
              from plan_comment c
             where c.task_id = t.task_id and c.current_start_line is not null), '[]')`;

/**
 * Writes the next version of a plan and moves the comments along with their lines; one whose lines
 * changed is outdated. Lock the task before `current` is read: that is what makes the number the
 * next one. `authorUserId`: null is the agent. `current`: undefined before the first version.
 */
export async function writeVersion(
  tx: Tx,
  { taskId, text, authorUserId }: { taskId: string; text: string; authorUserId: string | null },
  current: CurrentVersion | undefined,
): Promise<number> {
  const version = (current?.version ?? 0) + 1;
  await tx.many(sql`
    insert into plan_revision (task_id, version, body, author_user_id)
    values (${taskId}, ${version}, ${text}, ${authorUserId})`);
  // Whoever approves the plan right now is waited for.
  await tx.many(sql`
    insert into plan (task_id, version) values (${taskId}, ${version})
    on conflict (task_id) do update set version = excluded.version`);
  if (current !== undefined && current.comments.length > 0) await moveComments(tx, current, text);
  return version;
}

/** The current version of a plan; undefined before the first. */
export const currentVersion = (tx: Tx, taskId: string): Promise<CurrentVersion | undefined> =>
  tx.maybeOne(sql`
    select t.version, r.body as text, ${placedComments} as comments
      from plan t join plan_revision r on r.task_id = t.task_id and r.version = t.version
     where t.task_id = ${taskId}`);

async function moveComments(
  tx: Tx,
  { text: before, comments }: CurrentVersion,
  text: string,
): Promise<void> {
  const lineOf = movedLines(planDiff(before, text).hunks);
  const moved = comments
    .map(({ id, start, end }) => ({ id, start, line: lineOf(start, end) ?? null }))
    .filter(({ start, line }) => line !== start);
  if (moved.length === 0) return;
  await tx.many(sql`
    update plan_comment c set current_start_line = moved.line
      from unnest(${moved.map(({ id }) => id)}::uuid[],
                  ${moved.map(({ line }) => line)}::integer[]) moved (id, line)
     where c.id = moved.id`);
}
