import { type OfPullRequest, onPullRequestOfLocked } from '../access/task.ts';
import { fixesInARow, hasPassed, MOST_FIXES, notOpen, projectArchived } from '../code/index.ts';
import type { Tx } from '../db/database/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import type { Caller } from '../http/caller.ts';
import { apiError } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { type FailedCheck, fixMessage, MOST_NAMED } from './fix-message.ts';
import { attached, message } from './message.ts';
import { addedMessage, asCaller, sentMessage, tooManyMessages } from './send-message.ts';

const noFailingChecks = apiError(
  409,
  'no_failing_checks',
  'No check of the last commit has failed, or not all of them have ended: `list_checks` shows them',
);

const fixLimitReached = apiError(
  409,
  'fix_limit_reached',
  `The agent was asked to fix checks ${MOST_FIXES} times, and they still fail: look at them, then ` +
    'send it a message or push to its branch',
);

const { schema, example } = message;

/** Asks the agent to fix the checks that have failed. */
export const fixChecks = route({
  method: 'POST',
  path: '/api/tasks/{task_id}/pull-request/fix-checks',
  area: 'Pull Requests & Deploys',
  operationId: 'fix_checks',
  wakes: true,
  summary: 'Ask the agent to fix failed checks',
  description:
    'Sends the agent a message of the caller with the failed checks of the last commit and the ' +
    'last lines of their logs, and queues its turn, as `create_message` does. Members of the ' +
    'project may, once all checks have ended. It is sent once for each commit: asking again ' +
    `answers that message. After ${MOST_FIXES} in a row, a person has to write a message of their ` +
    'own or push to the branch first.',
  access: onPullRequestOfLocked('work_on_task'),
  params: ids('task_id'),
  responses: {
    200: { description: 'The message that was sent for this commit.', schema, example },
    201: { description: 'The message, queued.', schema, example },
  },
  errors: [noFailingChecks, fixLimitReached, tooManyMessages, notOpen, projectArchived],
  handle: ({ params: { task_id }, requestId, transaction }) =>
    transaction(async (tx, caller) => {
      if (caller.state !== 'open') throw notOpen();
      if (caller.archived) throw projectArchived();
      const failed = await failedChecks(tx, task_id);
      if (failed === undefined) throw noFailingChecks();
      if (failed.asked !== null) {
        const { item } = await tx.one<{ item: string }>(shown(caller, failed.asked));
        return { status: 200, body: item };
      }
      if (failed.inARow >= MOST_FIXES) throw fixLimitReached();
      const text = fixMessage(failed.head, failed);
      const { item } = await tx.one<{ item: string | null }>(
        sent(caller, { suite: failed.suite, text }, requestId),
      );
      if (item === null) throw tooManyMessages();
      return { status: 201, body: item };
    }),
});

interface Failed {
  suite: string;
  head: string;
  /** The number of the message that was sent for this commit. */
  asked: number | null;
  inARow: number;
  count: number;
  checks: FailedCheck[];
}

/** Undefined if the checks of the last commit have not failed. */
const failedChecks = (tx: Pick<Tx, 'maybeOne'>, taskId: string): Promise<Failed | undefined> =>
  tx.maybeOne<Failed>(sql`
    select s.id as suite, s.head_sha as head, f.message_number as asked,
           ${fixesInARow(sql`pr`)}::integer as "inARow", failed.count, failed.checks
      from pull_request pr
      join check_suite s
        on s.task_id = pr.task_id and s.head_sha = pr.head_sha and s.conclusion = 'failed'
      left join check_fix f on f.suite_id = s.id
     cross join lateral (
       select max(c.count)::integer as count,
              json_agg(json_build_object(
                         'name', c.name, 'command', c.command, 'conclusion', c.conclusion,
                         'url', c.details_url, 'log', c.log)
                       order by c.position) as checks
         from (select c.*, right(l.content, 20000) as log, count(*) over () as count
                 from check_run c left join check_log l on l.check_id = c.id
                where c.suite_id = s.id and c.state = 'completed' and not ${hasPassed(sql`c`)}
                order by c.position limit ${MOST_NAMED}) c) failed
     where pr.task_id = ${taskId} and failed.count > 0`);

const sent = (
  caller: Caller & OfPullRequest,
  { suite, text }: { suite: string; text: string },
  requestId: string,
): Sql => sql`
  with ${asCaller(caller)},
  ${sentMessage({ text, attachment_ids: [] }, requestId, 'pull_request.fix_checks')},
  fixed as (
    insert into check_fix (suite_id, task_id, message_number)
    select ${suite}, task_id, number from added)
  select ${addedMessage} as item from authorized`;

const shown = (caller: Caller & OfPullRequest, number: number): Sql => sql`
  with ${asCaller(caller)}
  select ${message.json} as item
    from authorized
    join task_message m on m.task_id = authorized.task_id and m.number = ${number}
    left join task_turn turn on turn.id = m.turn_id
   cross join lateral ${attached(sql`
     attachment a where a.task_id = m.task_id and a.message_number = m.number`)}`;
