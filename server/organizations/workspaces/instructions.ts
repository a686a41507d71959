import { jsonObject, jsonText } from '../../db/json.ts';
import { type Sql, sql, sqlText } from '../../db/sql.ts';
import { type Shown, shownAs } from '../../http/change.ts';
import { apiError, notFound } from '../../http/errors.ts';
import { multilineText, object } from '../../http/input/fields.ts';
import { matches } from '../../http/preconditions.ts';
import type { BodyContext, DeclaredAnswer } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';

/** Whose instructions: its table, and the column of `authorized` that has its id. */
interface Of {
  table: 'organization' | 'project';
  id: 'organization_id' | 'project_id';
}

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

const shown = (description: string): DeclaredAnswer => ({
  description,
  headers: ['ETag'],
  schema: instructions,
  example,
});

const instructionsChanged = apiError(
  412,
  'instructions_changed',
  'The instructions have changed since you read them: read them again, then set them',
);

/** The operation that gets instructions, from its answers on. */
export const getsInstructions = ({ table, id }: Of) => ({
  responses: { 200: shown('The instructions; an empty text if there are none.') },
  errors: [],
  handle: ({ statement }: BodyContext<unknown>) =>
    statement<Shown>(
      {
        select: sql`
          select ${columnsOf(sql`t.instructions`)}
            from authorized join ${sqlText(table)} t on t.id = authorized.${sqlText(id)}`,
      },
      (row) => shownAs(200, row),
    ),
});

/** The operation that sets them, from its body on; `project`: the one that its audit row names. */
export const setsInstructions = ({
  table,
  id,
  action,
  project,
}: Of & { action: string; project?: Sql }) => ({
  body: instructions,
  bodyLimit: 128 * 1024,
  sample: () => ({ body: example }),
  responses: { 200: shown('The current instructions.') },
  headers: { 'If-Match': 'The ETag of the instructions that you have read.' },
  errors: [instructionsChanged],
  handle: ({ body, headers, requestId, statement }: BodyContext<{ text: string }>) =>
    statement<Shown & { expected: boolean | null }>(
      {
        with: sql`
          ${set(sqlText(table), sqlText(id), body.text, headers['if-match'])},
          audited as (${auditRow({
            action,
            requestId,
            target: sql`changed.id`,
            organization: sql`authorized.organization_id`,
            ...(project && { project }),
            before: sql`jsonb_build_object('instructions', changed.before)`,
            after: sql`jsonb_build_object('instructions', changed.after)`,
            from: sql`changed cross join authorized`,
          })})`,
        select: sql`
          select current.expected,
                 ${columnsOf(sql`nullif(${body.text}::text, '')`)}
            from authorized left join current on true`,
      },
      ({ expected, ...row }) => {
        if (expected === null) throw notFound();
        if (!expected) throw instructionsChanged();
        return shownAs(200, row);
      },
    ),
});

/** What a statement selects to show the instructions of a row, which may be null. */
const columnsOf = (text: Sql): Sql => sql`
  ${jsonObject({ text: jsonText(sql`coalesce(${text}, '')`) })} as item,
  ${revisionOf(text)} as revision`;

const revisionOf = (text: Sql): Sql => sql`md5(coalesce(${text}, ''))`;

/**
 * `current` and `changed`, common table expressions: the authorized row of a table, locked, with
 * its instructions before, and the row if they were changed. `id`: the column of `authorized`.
 */
const set = (table: Sql, id: Sql, text: string, ifMatch: string | undefined): Sql => sql`
  current as materialized (
    select t.id, t.instructions, ${matches(ifMatch, revisionOf(sql`t.instructions`))} as expected
      from ${table} t join authorized on t.id = authorized.${id} for update of t),
  changed as (
    update ${table} t set instructions = nullif(${text}::text, '')
      from current
     where t.id = current.id and current.expected
       and current.instructions is distinct from nullif(${text}::text, '')
    returning t.id, current.instructions as before, t.instructions as after)`;
