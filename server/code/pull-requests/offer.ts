import { type HostedRepository, hostColumns, isConnected } from '../../access/hosted-repository.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { taskRepository } from '../repositories/task-repository.ts';

/** What the pull request of a task is opened with, and where. */
export interface Offer extends HostedRepository {
  /** There already. */
  open: boolean;
  /** Its project is. */
  archived: boolean;
  repositoryId: number;
  repository: string;
  /** The owner of the project may use it; null for one of this server. */
  connected: boolean | null;
  title: string;
  body: string;
  /** The branch to merge into, unless someone chooses another one; null without a merge target. */
  base: string | null;
  /** Whether the creator of the task chose it. */
  chosen: boolean;
}

/** Characters that a body may have, on GitHub as here. */
const MOST_BODY = 65_536;

/** The newest approved plan is its text. */
export const offerOf = (taskId: string): Sql => sql`
  select exists (select from pull_request where task_id = t.id) as open,
         p.archived_at is not null as archived, r.id as repository, ${hostColumns},
         ${isConnected} as connected,
         t.title, left(coalesce(v.body, ''), ${MOST_BODY}) as body,
         coalesce(t.base, (
           select m.branch from merge_target m
            where m.project_id = r.project_id
            order by m.branch = r.default_branch desc, m.branch collate "C" limit 1)) as base,
         t.base is not null as chosen
    from task t
    join project p on p.id = t.project_id
    join repository r on r.project_id = p.id and ${taskRepository(sql`r`)}
    left join plan l on l.task_id = t.id
    left join plan_revision v on v.task_id = l.task_id and v.version = l.approved_version
   where t.id = ${taskId}`;
