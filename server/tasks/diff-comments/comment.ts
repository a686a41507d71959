import Type, { type TSchema } from 'typebox';
import { type Sql, sql } from '../../db/sql.ts';
import { boolean, multilineText, oneOf, uuid } from '../../http/input/fields.ts';
import { resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';

const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);
const place = Type.Optional(
  oneOf(['kept', 'moved', 'outdated'], {
    description:
      'Only in the list, and where this server can tell: whether the line is where it was in the ' +
      'newest commit of the task, at `current_line`, or gone.',
  }),
);

/** A comment on a line of the code that a task changed, from a row `t` of `diff_comment`. */
export const comment = resource('DiffComment', {
  id: [uuid(), sql`t.id`, '01aa2b3c-4d5e-7f60-8a1b-2c3d4e5f6a7b'],
  task_id: [uuid(), sql`t.task_id`, '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f'],
  commit: [
    Type.String({ description: 'On whose files it was written.' }),
    sql`t.commit_sha`,
    '2c26b46b68ffc68ff99b453c1d30413413422d70',
  ],
  path: [Type.String(), sql`t.path`, 'models/sale_order.py'],
  side: [
    oneOf(['old', 'new'], { description: 'Of the difference: before the task, or with it.' }),
    sql`t.side`,
    'new',
  ],
  start_line: [
    maybe(
      Type.Integer({ description: 'The first line of several; left out for a comment on one.' }),
    ),
    sql`t.start_line`,
    undefined,
  ],
  line: [Type.Integer({ description: 'The last line, in that file, from 1.' }), sql`t.line`, 12],
  line_text: [
    Type.String({ description: 'The last line as its author saw it.' }),
    sql`t.line_text`,
    '    limit = 5000',
  ],
  place: [place, sql`null::text`, undefined],
  current_line: [
    maybe(Type.Integer({ description: 'Where the line is now; as `place`.' })),
    sql`null::integer`,
    undefined,
  ],
  text: [
    multilineText({ minLength: 1, maxLength: 10_000 }),
    sql`t.text`,
    'Read the limit from the settings.',
    'writable',
  ],
  resolved: [
    boolean({ description: 'Whether nothing is left to do about it.' }),
    sql`t.resolved_at is not null`,
    false,
    'writable',
  ],
  resolved_at: [maybe(timestamp()), sql`t.resolved_at`, undefined],
  resolved_by_user_id: [maybe(uuid()), sql`t.resolved_by_user_id`, undefined],
  message_number: [
    maybe(
      Type.Integer({
        description: 'The message that told it to the agent; left out until it is sent.',
      }),
    ),
    sql`t.message_number`,
    undefined,
  ],
  author_user_id: [uuid(), sql`t.author_user_id`, '3fa85f64-5717-4562-b3fc-2c963f66afa6'],
  created_at: [timestamp(), sql`t.created_at`, '2026-11-21T08:15:30.123Z'],
  updated_at: [timestamp(), sql`t.updated_at`, '2026-11-21T08:15:30.123Z'],
});

/** What the audit trail keeps of a comment, a composite value. */
export const commentSnapshot = (row: Sql): Sql => sql`
  jsonb_build_object(
    'path', (${row}).path,
    'side', (${row}).side,
    'start_line', (${row}).start_line,
    'line', (${row}).line,
    'text', (${row}).text,
    'resolved', (${row}).resolved_at is not null)`;
