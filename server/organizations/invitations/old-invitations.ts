import { type RetentionRule, retentionRule } from '../../db/retention-rule.ts';
import { sql } from '../../db/sql.ts';

/** Invitations that were accepted, declined or revoked long ago, with the addresses in them. */
export const oldInvitations = (days: number | undefined): RetentionRule =>
  retentionRule({
    name: 'closed invitations',
    setting: 'RETENTION_INVITATIONS_DAYS',
    days,
    which: (before) => sql`
      select id from invitation
       where status <> 'pending' and updated_at < ${before} order by updated_at`,
    remove: (due) => sql`
      delete from invitation where id = ${due} and status <> 'pending' returning id`,
  });
