import { type RetentionRule, retentionRule } from '../db/retention-rule.ts';
import { type Sql, sql } from '../db/sql.ts';

type Days = number | undefined;

/** What checks have written; a sentence takes its place, so that who looks for it learns why. */
export const oldCheckLogs = (days: Days): RetentionRule =>
  oldLogs('logs of checks', days, { table: sql`check_log`, id: sql`check_id` });

/** The same of deploys. */
export const oldDeployLogs = (days: Days): RetentionRule =>
  oldLogs('logs of deploys', days, { table: sql`deploy_log`, id: sql`deploy_id` });

/** The same of agents and setups in pods. */
export const oldPodLogs = (days: Days): RetentionRule =>
  oldLogs('logs of pods', days, { table: sql`pod_log`, id: sql`pod_id` });

const oldLogs = (name: string, days: Days, { table, id }: { table: Sql; id: Sql }): RetentionRule =>
  retentionRule({
    name,
    setting: 'RETENTION_LOGS_DAYS',
    days,
    batch: 500,
    which: (before) => sql`
      select ${id} from ${table}
       where removed_at is null and updated_at < ${before} order by updated_at`,
    remove: (due) => sql`
      update ${table} set content = ${removedAfter(days)}, removed_at = now()
       where ${id} = ${due} and removed_at is null returning ${id}`,
  });

const removedAfter = (days = 0) => `Removed after ${days} ${days === 1 ? 'day' : 'days'}.\n`;
