import type { Static } from 'typebox';
import { oneself } from '../../access/account.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { route } from '../../http/route.ts';
import { quietHoursEmpty, settings, timeZoneUnknown } from './settings.ts';

/** The caller decides how they are told; a field left out keeps its value. */
export const updateNotificationSettings = route({
  method: 'PUT',
  path: '/api/account/notifications',
  area: 'Account',
  operationId: 'update_notification_settings',
  summary: 'Update how you are told of tasks',
  description: 'Changes what you send, for you alone; `{}` changes nothing.',
  access: oneself,
  body: settings.changes,
  sample: () => ({ body: { mail: 'daily', time_zone: 'Europe/Berlin' } }),
  responses: { 200: settings.shown('Your settings as they are now.', []) },
  errors: [timeZoneUnknown, quietHoursEmpty],
  handle: ({ body, statement }) => {
    const { time_zone: zone, quiet_hours: quiet } = body;
    if (zone !== undefined && !isTimeZone(zone)) throw timeZoneUnknown();
    if (quiet && quiet.from === quiet.until) throw quietHoursEmpty();
    return statement<{ item: string | null }>(
      {
        with: changed(body),
        select: sql`
          select case when t.user_id is not null then ${settings.json} end as item
            from authorized left join changed on true, lateral (select (changed.row).*) t`,
      },
      ({ item }) => {
        if (item === null) throw timeZoneUnknown();
        return { status: 200, body: item };
      },
    );
  },
});

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

// PostgreSQL computes with the zone, so it has to know it, too.
const changed = (asked: Static<typeof settings.changes>): Sql => {
  const { mail = null, push = null, events_off = null, daily_at = null, time_zone = null } = asked;
  const { quiet_hours: quiet } = asked;
  const off = sql`(select array_agg(distinct kind) from unnest(${events_off}::text[]) kind)`;
  const [from, until] = [quiet?.from ?? null, quiet?.until ?? null];
  return sql`
    changed as (
      insert into notification_setting as t
             (user_id, mail, push, events_off, daily_at, time_zone, quiet_from, quiet_until)
      select authorized.user_id, coalesce(${mail}::text, 'at_once'), coalesce(${push}::boolean, true),
             coalesce(${off}, '{}'), coalesce(${daily_at}::time, '08:00'),
             coalesce(${time_zone}::text, 'UTC'), ${from}::time, ${until}::time
        from authorized
       where ${time_zone}::text is null
          or exists (select from pg_timezone_names z where z.name = ${time_zone}::text)
      on conflict (user_id) do update
         set mail = coalesce(${mail}::text, t.mail), push = coalesce(${push}::boolean, t.push),
             events_off = case when ${events_off === null} then t.events_off
                               else coalesce(${off}, '{}') end,
             daily_at = coalesce(${daily_at}::time, t.daily_at),
             time_zone = coalesce(${time_zone}::text, t.time_zone),
             quiet_from = case when ${quiet === undefined} then t.quiet_from else ${from}::time end,
             quiet_until = case when ${quiet === undefined} then t.quiet_until else ${until}::time end,
             updated_at = greatest(clock_timestamp(), t.updated_at + interval '1 microsecond')
      returning t as row)`;
};
