import { oneself } from '../../access/account.ts';
import { sql } from '../../db/sql.ts';
import { route } from '../../http/route.ts';
import { settings } from './settings.ts';

/** How the caller is told of what happens to tasks. */
export const getNotificationSettings = route({
  method: 'GET',
  path: '/api/account/notifications',
  area: 'Account',
  operationId: 'get_notification_settings',
  summary: 'Get how you are told of tasks',
  description:
    'Whether and when you get mail and messages in your browsers about the tasks that you began or ' +
    'follow.',
  access: oneself,
  responses: { 200: settings.shown('Your settings.', []) },
  errors: [],
  handle: ({ statement }) =>
    statement<{ item: string }>(
      {
        select: sql`
          select ${settings.json} as item
            from authorized
            left join notification_setting s on s.user_id = authorized.user_id,
                 lateral (select coalesce(s.mail, 'at_once') as mail, coalesce(s.push, true) as push,
                                 coalesce(s.events_off, '{}') as events_off, s.quiet_from, s.quiet_until,
                                 coalesce(s.daily_at, '08:00') as daily_at,
                                 coalesce(s.time_zone, 'UTC') as time_zone) t`,
      },
      ({ item }) => ({ status: 200, body: item }),
    ),
});
