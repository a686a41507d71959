import type { Logger } from 'pino';
import {
  type HostedRepository,
  hostColumns,
  isConnected,
} from '../../../access/hosted-repository.ts';
import { type CodeHosts, HostError, postOnce } from '../../../code/index.ts';
import type { Database } from '../../../db/database/database.ts';
import { type Sql, sql } from '../../../db/sql.ts';
import { answerText, type EndedTurn } from './answer-text.ts';

const BATCH = 10;
const HOSTS = ['github', 'gitea'] as const;
/** How long others leave one alone that a process has begun with, and how often it is tried. */
const BEGUN = '1 minute';
const MOST_ATTEMPTS = 20;

interface AnswerOptions {
  codeHosts: CodeHosts;
  publicUrl: string;
  log: Logger;
}

/**
 * Posts what the agent said to a review as a comment on its pull request, once the turn has ended and
 * once only: a comment that a process has posted before it died is found. Any number of processes may
 * do so. Returns how many it read.
 */
export async function answerReviews(
  db: Database,
  { codeHosts, publicUrl, log }: AnswerOptions,
): Promise<number> {
  const open = HOSTS.filter((host) => codeHosts.of({ host }) !== undefined);
  for (let looked = 0; looked < BATCH; looked++) {
    const [due] = await db.many<Due>(next(open));
    if (due === undefined) return looked;
    const ended = await answer(db, due, { codeHosts, publicUrl, log });
    if (ended)
      await db.many(sql`
        update github_review set state = 'answered' where id = ${due.id} and state = 'sent'`);
  }
  return BATCH;
}

interface Due extends HostedRepository, EndedTurn {
  id: string;
  /** Of the pull request. */
  number: number;
  since: Date;
  attempts: number;
  /** Whether the owner of the project may still use what opens the repository. */
  connected: boolean;
}

/** Whether there is nothing left to do. */
async function answer(
  db: Database,
  due: Due,
  { codeHosts, publicUrl, log }: AnswerOptions,
): Promise<boolean> {
  const host = codeHosts.of(due);
  if (host === undefined || !due.connected) return true;
  try {
    const { id, since } = due;
    await postOnce(host.reviews, due, { id, since, text: answerText(due, publicUrl) });
    return true;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    log.warn({ err: error, review: due.id }, 'a review could not be answered');
    if (error.until !== undefined)
      await db.many(sql`
        update github_review set not_before = greatest(not_before, ${error.until})
         where id = ${due.id}`);
    return !error.passes || due.attempts >= MOST_ATTEMPTS;
  }
}

// A message that was deleted before the agent read it has no answer.
const next = (hosts: readonly string[]): Sql => sql`
  with due as materialized (
    select v.id from github_review v
      join pull_request pr on pr.task_id = v.task_id
      join repository r on r.id = pr.repository_id and r.host = any(${hosts})
      left join task_message m on m.task_id = v.task_id and m.number = v.message_number
      left join task_turn u on u.id = m.turn_id
     where v.state = 'sent' and v.not_before <= now()
       and (u.id is null or u.state in ('done', 'failed', 'cancelled'))
     order by v.not_before limit 1
       for update of v skip locked),
  begun as (
    update github_review v
       set attempts = v.attempts + 1,
           not_before = now() + ${BEGUN}::interval * least(v.attempts + 1, 30)
      from due where due.id = v.id
    returning v.*)
  select b.id, b.attempts, b.created_at as since, b.task_id as "taskId", t.project_id as "projectId",
         b.author_login as login, u.state, u.kind, pr.number, ${hostColumns},
         coalesce(${isConnected}, false) and u.id is not null as connected,
         (select a.content from task_message a
           where a.turn_id = u.id and a.role = 'agent' order by a.number desc limit 1) as text
    from begun b
    join task t on t.id = b.task_id
    join project p on p.id = t.project_id
    join pull_request pr on pr.task_id = t.id
    join repository r on r.id = pr.repository_id
    left join task_message m on m.task_id = b.task_id and m.number = b.message_number
    left join task_turn u on u.id = m.turn_id`;
