import Type from 'typebox';
import { onTaskBilling } from '../../access/project.ts';
import { account, usdText } from '../../billing/index.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { oneOf, uuid } from '../../http/input/fields.ts';
import { ids, route } from '../../http/route.ts';
import type { Catalog } from '../../platform/catalog/catalog.ts';

/** Of an account, so many of its newest build turns are looked at, and so many counted. */
const LOOKED_AT = 2_000;
const COUNTED = 200;

const usd = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const estimate = Type.Object(
  {
    task_id: uuid(),
    basis: oneOf(['project', 'account', 'no_history', 'billing_off'], {
      description:
        'Whose build turns were counted: those of the `project`; where it has none with this ' +
        'model, those of all projects of the same workspace or person (`account`). ' +
        '`no_history`: there are none, and `billing_off`: none were charged, so the amounts are null.',
    }),
    count: Type.Integer({ description: `How many turns, of at most the newest ${COUNTED}.` }),
    model: Type.Union([Type.String(), Type.Null()], { description: 'What the build would use.' }),
    low: usd('USD. A fifth of them cost no more.'),
    likely: usd('USD. Half of them cost no more.'),
    high: usd('USD. Nine of ten cost no more.'),
    available: usd('USD that the workspace or person can spend now.'),
    spent: Type.String({ description: 'USD that the task has cost so far.' }),
    cap: usd('USD that the task may cost in all; null without a cap.'),
    suggested_cap: usd('USD: `spent` and `high`, to the next cent.'),
  },
  { $id: 'PlanEstimate' },
);

const EXAMPLE = {
  task_id: '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f',
  basis: 'project',
  count: 34,
  model: 'sandbox',
  low: '0.42',
  likely: '0.87',
  high: '2.105',
  available: '23.50',
  spent: '0.31',
  cap: '2.00',
  suggested_cap: '2.42',
};

/** What building the plan may cost, from what builds before it have cost. */
export const getPlanEstimate = ({ catalog }: { catalog: Catalog }) =>
  route({
    method: 'GET',
    path: '/api/tasks/{task_id}/plan/estimate',
    area: 'Plans & Artifacts',
    operationId: 'get_plan_estimate',
    summary: 'Estimate what building the plan costs',
    description:
      'What build turns that ended well with the same model have cost in this project, and ' +
      'otherwise in the same workspace, with the balance and the cap to compare it with. It is no ' +
      'promise: a cap is what bounds a task. For those who may see the balance that pays.',
    access: onTaskBilling('see_billing'),
    params: ids('task_id'),
    responses: { 200: { description: 'The estimate.', schema: estimate, example: EXAMPLE } },
    errors: [],
    handle: ({ params: { task_id }, statement }) =>
      statement<Row>(estimated(catalog), (row) => ({ status: 200, body: shown(task_id, row) })),
  });

/** Amounts in micro-USD. */
interface Row {
  is_off: boolean;
  here: boolean | null;
  count: bigint;
  model: string | null;
  low: bigint | null;
  likely: bigint | null;
  high: bigint | null;
  available: bigint | null;
  spent: bigint;
  cap: bigint | null;
}

const CENT = 10_000n;

function shown(task_id: string, { is_off, here, count, model, spent, high, ...row }: Row) {
  const text = (amount: bigint | null) => (amount === null ? null : usdText(amount));
  const all = high === null ? null : spent + high;
  const cap = all === null ? null : ((all + CENT - 1n) / CENT) * CENT;
  return {
    task_id,
    basis: is_off ? 'billing_off' : count === 0n ? 'no_history' : here ? 'project' : 'account',
    count: Number(count),
    model,
    low: text(row.low),
    likely: text(row.likely),
    high: text(high),
    available: is_off ? null : text(row.available),
    spent: usdText(spent),
    cap: text(row.cap),
    suggested_cap: text(cap === 0n ? CENT : cap),
  };
}

// The model of a turn is that of the usage of its task, and without any, the one that is set.
const estimated = (catalog: Catalog): { with: Sql; select: Sql } => ({
  with: sql`
    wanted as materialized (
      select t.id, p.id as project_id, payer.id as account_id, t.spend_cap as cap,
             case when payer.status = 'active' then greatest(payer.balance - payer.held, 0)
                  else 0 end as available,
             ${modelOf(catalog)} as model,
             exists (select from billing_mode where mode = 'off') as is_off
        from authorized
        join task t on t.id = authorized.task_id
        join project p on p.id = t.project_id
        left join lateral (${account}) payer on true),
    newest as materialized (
      select u.task_id, u.spent_nano, u.ended_at
        from wanted
        cross join lateral (
          select task_id, spent_nano, ended_at from task_turn
           where account_id = wanted.account_id and kind = 'build' and state = 'done'
           order by ended_at desc limit ${LOOKED_AT}) u
       where not wanted.is_off),
    past as materialized (
      select newest.spent_nano, newest.ended_at, p.id = wanted.project_id as here
        from newest
        cross join wanted
        join task t on t.id = newest.task_id
        join project p on p.id = t.project_id
        cross join lateral (
          select min(model) as first, max(model) as last from usage_day
           where task_id = t.id and model is not null) used
       where coalesce(used.first, ${modelOf(catalog)}) = wanted.model
         and coalesce(used.last, wanted.model) = wanted.model),
    counted as (
      select spent_nano, here from past
       where here or not exists (select from past where here)
       order by ended_at desc limit ${COUNTED})`,
  select: sql`
    select wanted.is_off, wanted.model, wanted.cap, wanted.available,
           (select ceil(coalesce(sum(spent_nano), 0) / 1000)::bigint
              from task_turn where task_id = wanted.id) as spent,
           of_past.count, of_past.here, of_past.costs[1] as low, of_past.costs[2] as likely,
           of_past.costs[3] as high
      from wanted
      cross join lateral (
        select count(*) as count, bool_and(here) as here,
               percentile_disc(array[0.2, 0.5, 0.9]) within group (
                 order by ceil(spent_nano / 1000.0)::bigint) as costs
          from counted) of_past`,
});

const modelOf = ({ models }: Catalog): Sql => sql`
  coalesce(t.model, p.default_model, ${models.find(({ is_default }) => is_default)?.id ?? null}::text)`;
