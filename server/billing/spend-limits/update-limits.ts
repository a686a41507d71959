import Type from 'typebox';
import type { Tx } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { changedAt } from '../../http/change.ts';
import { apiError, notFound } from '../../http/errors.ts';
import {
  ignored,
  list,
  nullable,
  object,
  oneOf,
  usdAmount,
  uuid,
} from '../../http/input/fields.ts';
import type { Answer } from '../../http/route.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import { usdText } from '../ledger/money.ts';
import { checkLimits, keyOf, limitErrors, refuseUnknown, type Wanted } from './check-limits.ts';
import {
  answer,
  expected,
  type Limits,
  limitsAnswer,
  limitsOf,
  MOST_LIMITS,
  SUBJECTS,
  type Subject,
} from './limits.ts';

const tooManyLimits = apiError(
  409,
  'too_many_spend_limits',
  `A balance has at most ${MOST_LIMITS} limits: remove one first`,
);
const limitsChanged = apiError(
  412,
  'spend_limits_changed',
  'The spend limits have changed since you read them: read them again, then update them',
);

/** What both update operations take and answer. */
export const updateContract = {
  body: object({
    limits: Type.Optional(
      list(
        object({
          subject: oneOf(SUBJECTS),
          subject_id: Type.Optional(
            uuid({ description: 'The project, person or task; none for the whole balance.' }),
          ),
          amount: nullable(usdAmount({ minimum: 0.01, maximum: 1_000_000 }), {
            description: 'USD per calendar month (UTC). `null` removes the limit.',
          }),
          // Read-only fields may be sent back.
          id: ignored(),
          subject_name: ignored(),
          spent: ignored(),
          share: ignored(),
          state: ignored(),
          created_at: ignored(),
          updated_at: ignored(),
        }),
        { maxItems: MOST_LIMITS },
      ),
    ),
    resets_at: ignored(),
  }),
  headers: { 'If-Match': 'The ETag of the limits that you have read.' },
  responses: limitsAnswer,
  errors: [...limitErrors, limitsChanged, tooManyLimits],
};

/** The description of both update operations. */
export const RULES =
  'Limits that are not named keep their amount; a new one is added, and `null` removes one; at ' +
  `most ${MOST_LIMITS}. What a task costs counts to the whole balance, its project, the person ` +
  'who asked for it, and itself. No work begins or goes on beyond any of these: at a limit, the ' +
  'task pauses (`spend_limit`), what it did is kept, and it goes on by itself when the limit is ' +
  'raised or removed, or when the next month begins. Work that is under way when a limit is ' +
  'lowered ends within a minute or half a dollar. A limit on a project or a task ends when the ' +
  'project is given to another owner. Send the `ETag` of the limits that you have read as ' +
  '`If-Match` to avoid overwriting a later change.';

type Body = { limits?: readonly Wanted[] };

/** Of two changes to the same project, whose limits end when it moves, one waits. */
export const lockSubjects = ({ body }: { body: Body }): Sql => {
  const ids = (body.limits ?? []).flatMap(({ subject_id }) => subject_id ?? []);
  return sql`
    select p.id from project p
     where p.id = any(${ids}::uuid[])
        or p.id in (select t.project_id from task t where t.id = any(${ids}::uuid[]))
     order by p.id for share`;
};

/** Changes the limits of the request's account. */
export async function updateLimits(context: {
  body: Body;
  headers: Record<string, string | undefined>;
  requestId: string;
  transaction(
    work: (
      tx: Tx,
      authorized: Caller & { account_id: string; organization_id?: string | null },
    ) => Promise<Answer>,
  ): Promise<Answer>;
}): Promise<Answer> {
  const { body, headers, requestId, transaction } = context;
  const wanted = body.limits ?? [];
  checkLimits(wanted);
  return transaction(async (tx, { account_id, organization_id, ...caller }) => {
    // A turn that looks for what a limit leaves locks the account as well.
    const account = await tx.maybeOne(sql`
      select id from billing_account
       where id = ${account_id} and status <> 'closed' for no key update`);
    // Its workspace was deleted after the request was authorized.
    if (account === undefined) throw notFound();
    const before = await tx.one<Before>(current(account_id, wanted, headers['if-match']));
    if (!before.expected) throw limitsChanged();
    refuseUnknown(wanted, before.unknown);
    const amounts = new Map(before.items.map((limit) => [keyOf(limit), BigInt(limit.amount)]));
    const amountOf = (limit: Wanted) => amounts.get(keyOf(limit)) ?? null;
    const changes = wanted.filter((limit) => limit.amount !== amountOf(limit));
    if (changes.length > 0) {
      const added = changes.filter((limit) => amountOf(limit) === null).length;
      const removed = changes.filter(({ amount }) => amount === null).length;
      if (added > removed && amounts.size + added - removed > MOST_LIMITS) throw tooManyLimits();
      await change(tx, account_id, changes);
      await recordChange(tx, {
        caller,
        action: 'spend_limits.update',
        target: account_id,
        organizationId: organization_id ?? null,
        before: { limits: changes.map((limit) => audited(limit, amountOf(limit))) },
        after: { limits: changes.map((limit) => audited(limit, limit.amount)) },
        requestId,
      });
    }
    return answer(await tx.one<Limits>(limitsOf(sql`select ${account_id}::uuid as id`)));
  });
}

/** The limits of an account before a change; `unknown`: the places of what may not be limited. */
interface Before {
  items: { subject: Subject; subject_id?: string; amount: string }[];
  expected: boolean;
  unknown: number[];
}

// What left the workspace, such as a former member, can keep a limit that it has.
const current = (accountId: string, wanted: readonly Wanted[], ifMatch: string | undefined): Sql =>
  sql`
  with wanted as materialized (
    select * from json_to_recordset(${json(wanted)}::json)
      w(place integer, subject text, subject_id uuid)),
  unknown as (
    select w.place from wanted w join billing_account a on a.id = ${accountId}
     where w.subject <> 'balance'
       and not exists (select from spend_limit l
                        where l.account_id = a.id and l.subject_id = w.subject_id
                          and l.subject = w.subject)
       and (case w.subject
         when 'project' then exists (
           select from project p where p.id = w.subject_id and ${OF_OWNER})
         when 'task' then exists (
           select from task t join project p on p.id = t.project_id
            where t.id = w.subject_id and ${OF_OWNER})
         else w.subject_id = a.user_id
           or exists (select from membership m
                       where m.organization_id = a.organization_id and m.user_id = w.subject_id)
           or exists (select from project_grant g join project p on p.id = g.project_id
                       where g.user_id = w.subject_id and ${OF_OWNER}) end) is not true)
  select coalesce(json_agg(json_strip_nulls(json_build_object(
           'subject', l.subject, 'subject_id', l.subject_id, 'amount', l.amount::text))), '[]')
           as items,
         ${expected(ifMatch)} as expected,
         (select coalesce(json_agg(place), '[]') from unknown) as unknown
    from spend_limit l where l.account_id = ${accountId}`;

/** SQL: whether a project `p` belongs to the owner of the account `a`. */
const OF_OWNER = sql`(p.organization_id = a.organization_id or p.owner_user_id = a.user_id)`;

const json = (wanted: readonly Wanted[]): string =>
  JSON.stringify(
    wanted.map(({ amount, ...limit }, place) => ({ ...limit, place, amount: amount?.toString() })),
  );

const change = (tx: Tx, accountId: string, changes: readonly Wanted[]): Promise<unknown> =>
  tx.many(sql`
    with wanted as materialized (
      select * from json_to_recordset(${json(changes)}::json)
        w(subject text, subject_id uuid, amount bigint)),
    removed as (
      delete from spend_limit l using wanted w
       where l.account_id = ${accountId} and w.amount is null
         and l.subject_id is not distinct from w.subject_id)
    insert into spend_limit as l (account_id, project_id, user_id, task_id, amount)
    select ${accountId}, case subject when 'project' then subject_id end,
           case subject when 'member' then subject_id end,
           case subject when 'task' then subject_id end, amount
      from wanted where amount is not null
    on conflict on constraint spend_limit_is_one_row do update
       set amount = excluded.amount, warned_in = null, reached_in = null,
           updated_at = ${changedAt(sql`l.updated_at`)}`);

const audited = ({ subject, subject_id }: Wanted, amount: bigint | null) => ({
  subject,
  ...(subject_id === undefined ? {} : { subject_id }),
  amount: amount === null ? null : usdText(amount),
});
