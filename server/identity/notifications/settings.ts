import Type from 'typebox';
import { sql } from '../../db/sql.ts';
import { fieldError } from '../../http/errors.ts';
import { boolean, list, object, oneOf } from '../../http/input/fields.ts';
import { resource } from '../../http/resource.ts';
import { KINDS } from './kinds.ts';

const TIME = '^([01][0-9]|2[0-3]):[0-5][0-9]$';
const time = (description: string) =>
  Type.String({ minLength: 5, maxLength: 5, pattern: TIME, description });

const quietHours = () =>
  object(
    {
      from: time('The first minute of them, as `22:00`.'),
      until: time('When they end, as `07:00`; it may be on the next day.'),
    },
    {
      description:
        'Within these, nothing is sent; it follows when they end. The mail of the day is sent at its time.',
    },
  );

/** How the caller is told, from a row `t`. */
export const settings = resource('NotificationSettings', {
  mail: [
    oneOf(['at_once', 'daily', 'off'], {
      description:
        '`at_once`: one mail about a task, and the next one five minutes later at the earliest. `daily`: one mail about all tasks, at `daily_at`. `off`: none.',
    }),
    sql`t.mail`,
    'at_once',
    'writable',
  ],
  push: [
    boolean({
      description: 'Whether your browsers are told, once you have allowed it in each of them.',
    }),
    sql`t.push`,
    true,
    'writable',
  ],
  events_off: [
    list(oneOf(KINDS), {
      maxItems: 50,
      description: 'What you are not told of; you are told of everything else.',
    }),
    sql`to_json(t.events_off)`,
    ['task.merged'],
    'writable',
  ],
  quiet_hours: [
    quietHours(),
    sql`
      case when t.quiet_from is not null
           then json_build_object('from', to_char(t.quiet_from, 'HH24:MI'),
                                  'until', to_char(t.quiet_until, 'HH24:MI')) end`,
    { from: '22:00', until: '07:00' },
    'clearable',
  ],
  daily_at: [
    time('When the mail of the day is sent, as `08:00`.'),
    sql`to_char(t.daily_at, 'HH24:MI')`,
    '08:00',
    'writable',
  ],
  time_zone: [
    Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^[A-Za-z0-9_+/-]+$',
      description: 'The time zone of all times here, by its name in the IANA database.',
    }),
    sql`t.time_zone`,
    'Europe/Berlin',
    'writable',
  ],
});

export const timeZoneUnknown = fieldError(
  'time_zone_unknown',
  ['body', 'time_zone'],
  'There is no such time zone: send a name of the IANA database, such as Europe/Berlin',
);

export const quietHoursEmpty = fieldError(
  'quiet_hours_empty',
  ['body', 'quiet_hours'],
  'Quiet hours end at another time than they begin: send null for none',
);
