import Type from 'typebox';
import { sql } from '../../db/sql.ts';
import { fieldError } from '../../http/errors.ts';
import { boolean, list, nullable, object, oneOf } from '../../http/input/fields.ts';
import { resource } from '../../http/resource.ts';
import { KINDS } from './kinds.ts';

const TIME = '^([01][0-9]|2[0-3]):[0-5][0-9]$';
const time = (description: string) =>
  Type.String({ minLength: 5, maxLength: 5, pattern: TIME, description });

const quietHours = () =>
  object({
    from: time('The first minute of them, as `22:00`.'),
    until: time('When they end, as `07:00`; it may be on the next day.'),
  });

const DESCRIBED = {
  mail: '`at_once`: one mail about a task, and the next one five minutes later at the earliest. `daily`: one mail about all tasks, at `daily_at`. `off`: none.',
  push: 'Whether your browsers are told, once you have allowed it in each of them.',
  eventsOff: 'What you are not told of; you are told of everything else.',
  quietHours:
    'Within these, nothing is sent; it follows when they end. The mail of the day is sent at its time.',
  dailyAt: 'When the mail of the day is sent, as `08:00`.',
  timeZone: 'The time zone of all times here, by its name in the IANA database.',
};

/** How the caller is told, from a row `t`. */
export const settings = resource('NotificationSettings', {
  mail: [
    oneOf(['at_once', 'daily', 'off'], { description: DESCRIBED.mail }),
    sql`t.mail`,
    'at_once',
    'writable',
  ],
  push: [boolean({ description: DESCRIBED.push }), sql`t.push`, true, 'writable'],
  events_off: [
    list(oneOf(KINDS), { maxItems: 50, description: DESCRIBED.eventsOff }),
    sql`to_json(t.events_off)`,
    ['task.merged'],
    'writable',
  ],
  quiet_hours: [
    Type.Object(quietHours().properties, { description: DESCRIBED.quietHours }),
    sql`
      case when t.quiet_from is not null
           then json_build_object('from', to_char(t.quiet_from, 'HH24:MI'),
                                  'until', to_char(t.quiet_until, 'HH24:MI')) end`,
    { from: '22:00', until: '07:00' },
    'clearable',
  ],
  daily_at: [time(DESCRIBED.dailyAt), sql`to_char(t.daily_at, 'HH24:MI')`, '08:00', 'writable'],
  time_zone: [
    Type.String({ minLength: 1, maxLength: 100, description: DESCRIBED.timeZone }),
    sql`t.time_zone`,
    'Europe/Berlin',
    'writable',
  ],
});

/** The body of an update: a field left out keeps its value. */
export const settingsChanges = () =>
  object({
    mail: Type.Optional(oneOf(['at_once', 'daily', 'off'], { description: DESCRIBED.mail })),
    push: Type.Optional(boolean({ description: DESCRIBED.push })),
    events_off: Type.Optional(
      list(oneOf(KINDS), { maxItems: 50, description: DESCRIBED.eventsOff }),
    ),
    quiet_hours: Type.Optional(
      nullable(quietHours(), { description: `${DESCRIBED.quietHours} \`null\` removes them.` }),
    ),
    daily_at: Type.Optional(time(DESCRIBED.dailyAt)),
    time_zone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        pattern: '^[A-Za-z0-9_+/-]+$',
        description: DESCRIBED.timeZone,
      }),
    ),
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
