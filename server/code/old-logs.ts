import { type RetentionRule, retentionRule } from '../db/retention-rule.ts';
import { sql } from '../db/sql.ts';

/** What checks have written; a sentence takes its place, so that who looks for it learns why. */
export const oldCheckLogs = (days: number | undefined): RetentionRule =>
  retentionRule({
    name: 'logs of checks',
    setting: 'RETENTION_LOGS_DAYS',
    days,
    batch: 500,
    which: (before) => sql`
      select check_id from check_log
       where removed_at is null and updated_at < ${before} order by updated_at`,
    remove: (due) => sql`
      update check_log set content = ${removedAfter(days)}, removed_at = now()
       where check_id = ${due} and removed_at is null returning check_id`,
  });

/** The same of deploys. */
export const oldDeployLogs = (days: number | undefined): RetentionRule =>
  retentionRule({
    name: 'logs of deploys',
    setting: 'RETENTION_LOGS_DAYS',
    days,
    batch: 500,
    which: (before) => sql`
      select deploy_id from deploy_log
       where removed_at is null and updated_at < ${before} order by updated_at`,
    remove: (due) => sql`
      update deploy_log set content = ${removedAfter(days)}, removed_at = now()
       where deploy_id = ${due} and removed_at is null returning deploy_id`,
  });

/** The same of agents and setups in pods. */
export const oldPodLogs = (days: number | undefined): RetentionRule =>
  retentionRule({
    name: 'logs of pods',
    setting: 'RETENTION_LOGS_DAYS',
    days,
    batch: 500,
    which: (before) => sql`
      select pod_id from pod_log
       where removed_at is null and updated_at < ${before} order by updated_at`,
    remove: (due) => sql`
      update pod_log set content = ${removedAfter(days)}, removed_at = now()
       where pod_id = ${due} and removed_at is null returning pod_id`,
  });

const removedAfter = (days = 0) => `Removed after ${days} ${days === 1 ? 'day' : 'days'}.\n`;
