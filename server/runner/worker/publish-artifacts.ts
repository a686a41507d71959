import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { EventLog } from '../../tasks/index.ts';

interface Unpublished {
  id: string;
  turnId: string;
  path: string;
  name: string;
  media_type: string;
  size: number;
}

/** How many of the newest events are searched for one that was published already. */
const LOOK_BACK = 200;

/**
 * Appends the artifacts of a task that are not among its events yet, each once: as for the end of a
 * turn, a worker that died in between leaves it to the next one that has the task. Throws
 * LostFence.
 */
export async function publishArtifacts(
  db: Database,
  events: EventLog,
  { taskId, fence }: { taskId: string; fence: bigint },
): Promise<void> {
  const unpublished = await db.many<Unpublished>(sql`
    select id, turn_id as "turnId", path, name, media_type, size::float8 as size
      from artifact where task_id = ${taskId} and published_at is null
     order by created_at, id`);
  if (unpublished.length === 0) return;
  const { last } = await events.head(taskId);
  const recent = await events.read(taskId, Math.max(0, last - LOOK_BACK), LOOK_BACK);
  const published = new Set(
    recent.filter(({ type }) => type === 'artifact').map(({ payload }) => JSON.parse(payload).id),
  );
  const missing = unpublished.filter(({ id }) => !published.has(id));
  if (missing.length > 0)
    await events.append(
      taskId,
      fence,
      missing.map(({ turnId, ...payload }) => ({ type: 'artifact', turnId, payload })),
    );
  await db.many(sql`
    update artifact set published_at = clock_timestamp()
     where id = any(${unpublished.map(({ id }) => id)}::uuid[])`);
}
