import { type RetentionRule, retentionRule } from '../../db/retention-rule.ts';
import { sql } from '../../db/sql.ts';

/** What was told to people, and what grouped it. */
export const oldNotifications = (days: number): RetentionRule[] => [
  retentionRule({
    name: 'notifications',
    setting: 'RETENTION_NOTIFICATIONS_DAYS',
    days,
    which: (before) => sql`
      select id from notification where created_at < ${before} order by created_at`,
    remove: (due) => sql`delete from notification where id = ${due} returning id`,
  }),
  // They are longer part of what is sent than a notification is read.
  retentionRule({
    name: 'mails of notifications',
    setting: 'RETENTION_NOTIFICATIONS_DAYS',
    days: days + 30,
    which: (before) => sql`
      select id from notification_mail where created_at < ${before} order by created_at`,
    remove: (due) => sql`delete from notification_mail where id = ${due} returning id`,
  }),
  retentionRule({
    name: 'threads of notifications',
    setting: 'RETENTION_NOTIFICATIONS_DAYS',
    days: 1,
    which: (before) => sql`
      select id from notification_thread
       where due_at is null and mailed_at < ${before} order by mailed_at`,
    remove: (due) => sql`delete from notification_thread where id = ${due} returning id`,
  }),
];
