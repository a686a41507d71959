import { type RetentionRule, retentionRule } from '../db/retention-rule.ts';
import { sql } from '../db/sql.ts';

/** Tasks at once: each may have thousands of messages or files. */
const BATCH = 20;

/** SQL: no turn of a task `t` has still to end. Counted: `not exists` would read the turns of all tasks. */
const isAtRest = sql`
  (select count(*) from task_turn u where u.task_id = t.id and u.ended_at is null) = 0`;

/**
 * What was said in tasks that were archived long ago: messages, texts of plans, comments and
 * questions. Who approved which version stays, with the hash of its text. A function of the database
 * removes it, because the server may change no plan.
 */
export const oldConversations = (days: number | undefined): RetentionRule => ({
  ...retentionRule({
    name: 'conversations of archived tasks',
    setting: 'RETENTION_CONVERSATIONS_DAYS',
    days,
    which: (before) => sql`
      select id from task t
       where archived_at < ${before}
         and (conversation_removed_at is null or conversation_removed_at < archived_at)
         and ${isAtRest}
       order by archived_at`,
    remove: () => sql`select`,
  }),
  remove: async (db) => {
    const { removed } = await db.one<{ removed: number }>(sql`
      select remove_conversations(now() - make_interval(days => ${days ?? 0}::int), ${BATCH})
             as removed`);
    return removed;
  },
});

/** Attachments and artifacts of such tasks; their bytes follow within minutes. */
export const oldFiles = (days: number | undefined): RetentionRule =>
  retentionRule({
    name: 'files of archived tasks',
    setting: 'RETENTION_FILES_DAYS',
    days,
    batch: BATCH,
    which: (before) => sql`
      select id from task t
       where archived_at < ${before} and (files_removed_at is null or files_removed_at < archived_at)
         and ${isAtRest}
       order by archived_at`,
    remove: (due) => sql`
      with due as materialized (
        select id from task
         where id = ${due} and archived_at is not null
           and (files_removed_at is null or files_removed_at < archived_at)
         order by id for update skip locked),
      attachments as (
        delete from attachment a using due where a.task_id = due.id returning a.task_id),
      artifacts as (
        delete from artifact a using due where a.task_id = due.id returning a.task_id),
      gone as (
        select task_id, count(*)::int as files
          from (select * from attachments union all select * from artifacts) file
         group by task_id)
      update task t
         set files_removed_at = clock_timestamp(),
             files_removed = t.files_removed + coalesce(gone.files, 0)
        from due left join gone on gone.task_id = due.id
       where t.id = due.id returning t.id`,
  });
