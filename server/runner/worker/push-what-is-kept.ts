import type { Logger } from 'pino';
import { RemoteFailed, taskRepository } from '../../code/index.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Repositories, TaskPlace } from './repository.ts';

const BATCH = 100;

/**
 * Pushes the commits that another host could not take at the end of their turns. Only of tasks that
 * were at work within the last day and are not now: a turn pushes what it finds. Returns how many.
 */
export async function pushWhatIsKept(
  db: Database,
  repositories: Repositories,
  log: Logger,
): Promise<number> {
  const tasks = await db.many<TaskPlace>(sql`
    select t.id as "taskId", t.project_id as "projectId"
      from task t
     where t.id in (select u.task_id from task_turn u
                     where u.ended_at > now() - interval '1 day' and u.mode = 'build')
       and exists (select from repository r
                    where r.project_id = t.project_id and r.host <> 'local'
                      and ${taskRepository(sql`r`)})
       and not exists (select from task_turn u
                        where u.task_id = t.id and u.state in ('running', 'waiting'))
     order by t.updated_at desc limit ${BATCH}`);
  let pushed = 0;
  for (const task of tasks) {
    if (!(await repositories.isUnpushed(task))) continue;
    try {
      await repositories.isBehind(task);
      pushed += 1;
    } catch (error) {
      if (!(error instanceof RemoteFailed)) throw error;
      log.warn({ err: error, task: task.taskId }, 'a commit could not be pushed; trying again');
    }
  }
  return pushed;
}
