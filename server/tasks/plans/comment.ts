import Type, { type TSchema } from 'typebox';
import { type Sql, sql } from '../../db/sql.ts';
import { boolean, multilineText, oneOf, uuid } from '../../http/input/fields.ts';
import { resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';

const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);
const line = (description: string) => Type.Integer({ description });

/** A comment on lines of a plan, from a row `t` of `plan_comment`. */
export const comment = resource('PlanComment', {
  id: [uuid(), sql`t.id`, '01aa2b3c-4d5e-7f60-8a1b-2c3d4e5f6a7b'],
  task_id: [uuid(), sql`t.task_id`, '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f'],
  version: [line('The version that it was made on.'), sql`t.version`, 1],
  start_line: [line('In that version, from 1.'), sql`t.start_line`, 3],
  end_line: [line('The last line that it is about.'), sql`t.end_line`, 4],
  place: [
    oneOf(['kept', 'moved', 'outdated'], {
      description:
        'What became of the lines in the current version of the plan: the same place, another ' +
        'one, or they were changed since.',
    }),
    sql`case when t.current_start_line is null then 'outdated'
             when t.current_start_line = t.start_line then 'kept' else 'moved' end`,
    'moved',
  ],
  current_start_line: [
    maybe(line('In the current version; left out if outdated.')),
    sql`t.current_start_line`,
    5,
  ],
  current_end_line: [
    maybe(line('In the current version; left out if outdated.')),
    sql`t.current_start_line + t.end_line - t.start_line`,
    6,
  ],
  text: [
    multilineText({ minLength: 1, maxLength: 10_000 }),
    sql`t.text`,
    'Who may approve?',
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
  author_user_id: [uuid(), sql`t.author_user_id`, '3fa85f64-5717-4562-b3fc-2c963f66afa6'],
  created_at: [timestamp(), sql`t.created_at`, '2026-11-21T08:15:30.123Z'],
  updated_at: [timestamp(), sql`t.updated_at`, '2026-11-21T08:15:30.123Z'],
});

/** What the audit trail keeps of a comment, a composite value. */
export const commentSnapshot = (row: Sql): Sql => sql`
  jsonb_build_object(
    'version', (${row}).version,
    'start_line', (${row}).start_line,
    'end_line', (${row}).end_line,
    'text', (${row}).text,
    'resolved', (${row}).resolved_at is not null)`;
