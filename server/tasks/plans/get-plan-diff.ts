import Type from 'typebox';
import { onTask } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { boolean, integer, oneOf, uuid } from '../../http/input/fields.ts';
import { ids, route } from '../../http/route.ts';
import { planNotFound, versionNotFound, versionNumber } from './plan.ts';
import { planDiff } from './plan-diff.ts';

const line = Type.Object({
  change: oneOf(['same', 'removed', 'added']),
  text: Type.String({ description: 'Without its line feed.' }),
  no_newline: Type.Optional(
    boolean({ description: 'True on the last line of a text that has no line feed at its end.' }),
  ),
});

const hunk = Type.Object({
  old_start: Type.Integer({ description: 'From 1; the line before, if there are no old lines.' }),
  old_lines: Type.Integer(),
  new_start: Type.Integer(),
  new_lines: Type.Integer(),
  lines: Type.Array(line),
});

const schema = Type.Object(
  {
    task_id: uuid(),
    from: Type.Integer(),
    to: Type.Integer(),
    added: Type.Integer({ description: 'Lines.' }),
    removed: Type.Integer(),
    unified: Type.String({
      description: 'In the unified format, of a file `plan.md`; empty if nothing differs.',
    }),
    hunks: Type.Array(hunk),
  },
  { $id: 'PlanDiff' },
);

const example = {
  task_id: '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f',
  from: 1,
  to: 2,
  ...planDiff('# Plan\n\n1. Add it.\n', '# Plan\n\n1. Add it.\n2. Test.\n'),
};

/** What changed from one version of a plan to another. */
export const getPlanDiff = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/plan/diff',
  area: 'Plans & Artifacts',
  operationId: 'get_plan_diff',
  summary: 'Compare two versions of a plan',
  description:
    'What changed from version `from` to version `to`, as text and as data: applying either to ' +
    'the text of `from` gives the text of `to`. Texts that differ in very many lines are shown ' +
    'as one replacement.',
  access: onTask('open_project'),
  params: ids('task_id'),
  query: Type.Object({
    from: Type.Optional(
      integer({
        minimum: 0,
        maximum: 2_147_483_647,
        description: 'A version, or 0 for an empty text. Without it, the version before `to`.',
      }),
    ),
    to: Type.Optional(versionNumber('A version. Without it, the current one.')),
  }),
  sample: () => ({ query: { from: '0', to: '1' } }),
  responses: { 200: { description: 'The difference.', schema, example } },
  errors: [planNotFound, versionNotFound],
  handle: ({ params, query, statement }) =>
    statement<Compared>(compared(query), (row) => {
      if (row.to_version === null) throw planNotFound();
      if (row.from_text === null || row.to_text === null) throw versionNotFound();
      const [from, to] = [row.from_version, row.to_version];
      const body = { task_id: params.task_id, from, to, ...planDiff(row.from_text, row.to_text) };
      return { status: 200, body };
    }),
});

interface Compared {
  from_version: number;
  to_version: number | null;
  from_text: string | null;
  to_text: string | null;
}

const compared = ({ from, to }: { from?: number; to?: number }) => ({
  with: sql`
    wanted as materialized (
      select t.task_id, coalesce(${from ?? null}::integer, asked.to_version - 1) as from_version,
             asked.to_version
        from authorized
        left join plan t on t.task_id = authorized.task_id
        cross join lateral (
          select case when t.task_id is not null
                      then coalesce(${to ?? null}::integer, t.version) end as to_version) asked)`,
  select: sql`
    select wanted.from_version, wanted.to_version, later.body as to_text,
           case when wanted.from_version = 0 then '' else earlier.body end as from_text
      from wanted
      left join plan_revision earlier
        on earlier.task_id = wanted.task_id and earlier.version = wanted.from_version
      left join plan_revision later
        on later.task_id = wanted.task_id and later.version = wanted.to_version`,
});
