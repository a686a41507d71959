import { type RetentionRule, retentionRule } from '../../db/retention-rule.ts';
import { sql } from '../../db/sql.ts';

const SETTING = 'RETENTION_SIGN_INS_DAYS';

/**
 * Links and sessions that ended long ago, with the browsers and networks of people. A session stays
 * that a charge or a card refers to, without these.
 */
export const oldSignIns = (days: number | undefined): RetentionRule[] => [
  retentionRule({
    name: 'sign-in links',
    setting: SETTING,
    days,
    which: (before) => sql`
      select id from sign_in_link
       where coalesce(ended_at, expires_at) < ${before} order by coalesce(ended_at, expires_at)`,
    remove: (due) => sql`delete from sign_in_link where id = ${due} returning id`,
  }),
  retentionRule({
    name: 'sessions',
    setting: SETTING,
    days,
    which: (before) => sql`
      select id from session s
       where coalesce(ended_at, expires_at) < ${before}
         and (user_agent is not null or network is not null or not ${isReferredTo})
       order by coalesce(ended_at, expires_at)`,
    remove: (due) => sql`
      with due as materialized (
        select s.id, ${isReferredTo} as stays from session s where s.id = ${due} for update),
      cleared as (
        update session s set user_agent = null, network = null
          from due where s.id = due.id and due.stays returning s.id),
      deleted as (
        delete from session s using due where s.id = due.id and not due.stays returning s.id)
      select id from cleared union all select id from deleted`,
  }),
];

// A link that is newer than its session, and what of a provider or a passkey has not expired yet,
// go first.
const isReferredTo = sql`(
  exists (select from top_up_session t where t.session_id = s.id)
  or exists (select from card_setup c where c.session_id = s.id)
  or exists (select from sign_in_link l where l.session_id = s.id)
  or exists (select from provider_attempt p where p.session_id = s.id)
  or exists (select from passkey_challenge p where p.session_id = s.id))`;
