import { jsonObject, jsonText } from '../../db/json.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';
import { multilineText, object } from '../../http/input/fields.ts';
import { matches } from '../../http/preconditions.ts';
import type { DeclaredAnswer } from '../../http/route.ts';

/** What admins of a workspace or a project tell every agent that works there. */
const instructions = object(
  {
    text: multilineText({
      minLength: 0,
      maxLength: 20_000,
      description: 'Markdown, or any text; empty for none.',
    }),
  },
  { $id: 'Instructions' },
);

const example = { text: 'Write British English. Run the tests before you end.' };

export const instructionsBody = instructions;
export const instructionsSample = () => ({ body: example });

export const instructionsShown = (description: string): DeclaredAnswer => ({
  description,
  headers: ['ETag'],
  schema: instructions,
  example,
});

export const instructionsChanged = apiError(
  412,
  'instructions_changed',
  'The instructions have changed since you read them: read them again, then set them',
);

/** What a statement selects to show the instructions of a row, which may be null. */
export const instructionsColumns = (text: Sql): Sql => sql`
  ${jsonObject({ text: jsonText(sql`coalesce(${text}, '')`) })} as item,
  ${instructionsRevision(text)} as revision`;

const instructionsRevision = (text: Sql): Sql => sql`md5(coalesce(${text}, ''))`;

/**
 * `current` and `changed`, common table expressions: the authorized row of a table, locked, with
 * its instructions before, and the row if they were changed. `id`: the column of `authorized`.
 */
export const instructionsSet = (
  table: Sql,
  id: Sql,
  text: string,
  ifMatch: string | undefined,
): Sql => sql`
  current as materialized (
    select t.id, t.instructions, ${matches(ifMatch, instructionsRevision(sql`t.instructions`))} as expected
      from ${table} t join authorized on t.id = authorized.${id} for update of t),
  changed as (
    update ${table} t set instructions = nullif(${text}::text, '')
      from current
     where t.id = current.id and current.expected
       and current.instructions is distinct from nullif(${text}::text, '')
    returning t.id, current.instructions as before, t.instructions as after)`;
