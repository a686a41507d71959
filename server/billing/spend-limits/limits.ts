import Type from 'typebox';
import { type Sql, sql } from '../../db/sql.ts';
import { uuid } from '../../http/input/fields.ts';
import { etag, matches } from '../../http/preconditions.ts';
import type { Answer, DeclaredAnswer } from '../../http/route.ts';
import { timestamp, timestampSql } from '../../http/timestamps.ts';
import { usdText } from '../ledger/money.ts';
import { monthBegins, spentUnder } from '../ledger/spend-limits.ts';

export const SUBJECTS = ['balance', 'project', 'member', 'task'] as const;
export type Subject = (typeof SUBJECTS)[number];

/** So that the list, and what each limit has spent, is quickly read. */
export const MOST_LIMITS = 200;

/** The answer of every operation on spend limits. */
export const limitsAnswer = {
  200: {
    description:
      'The limits: of the whole balance first, then by subject in order of their creation.',
    headers: ['ETag'],
    schema: Type.Object({
      limits: Type.Array(
        Type.Object(
          {
            id: uuid(),
            subject: Type.Enum([...SUBJECTS]),
            subject_id: Type.Optional(
              uuid({ description: 'The project, person or task; none for the whole balance.' }),
            ),
            subject_name: Type.Optional(Type.String()),
            amount: Type.String({ description: 'USD per calendar month (UTC).' }),
            spent: Type.String({
              description: 'USD so far this month, rounded up to the millionth of a dollar.',
            }),
            share: Type.Number({ description: 'What part of the amount was spent.', minimum: 0 }),
            state: Type.Enum(['ok', 'warned', 'reached'], {
              description: '`warned` from four fifths on; `reached`: its tasks pause.',
            }),
            created_at: timestamp(),
            updated_at: timestamp(),
          },
          { $id: 'SpendLimit' },
        ),
      ),
      resets_at: timestamp({ description: 'When the next month begins, and with it every limit.' }),
    }),
    example: {
      limits: [
        {
          id: '5a4b3c2d-1e0f-4a9b-8c7d-6e5f4a3b2c1d',
          subject: 'balance',
          amount: '500.00',
          spent: '410.25',
          share: 0.8205,
          state: 'warned',
          created_at: '2026-11-02T09:00:00.000Z',
          updated_at: '2026-11-02T09:00:00.000Z',
        },
        {
          id: '6b5c4d3e-2f1a-4b0c-9d8e-7f6a5b4c3d2e',
          subject: 'project',
          subject_id: 'c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11',
          subject_name: 'Webshop',
          amount: '100.00',
          spent: '12.345678',
          share: 0.1234,
          state: 'ok',
          created_at: '2026-11-02T09:00:00.000Z',
          updated_at: '2026-11-02T09:00:00.000Z',
        },
      ],
      resets_at: '2026-12-01T00:00:00.000Z',
    },
  } satisfies DeclaredAnswer,
};

/** A limit as the database has it; amounts are micro-USD as text, because JSON has no bigint. */
export interface Limit {
  id: string;
  subject: Subject;
  subject_id?: string;
  subject_name?: string;
  amount: string;
  spent: string;
  created_at: string;
  updated_at: string;
}

/** All limits of an account. */
export interface Limits {
  items: Limit[];
  resets_at: string;
  /** Changes with every change of a limit, and not with what is spent. */
  revision: string;
}

/** One row, `Limits`, for the account that `account` selects. */
export const limitsOf = (account: Sql): Sql => sql`
  select coalesce(json_agg(json_strip_nulls(json_build_object(
           'id', l.id, 'subject', l.subject, 'subject_id', l.subject_id,
           'subject_name', coalesce(p.name, u.name, u.email, t.title),
           'amount', l.amount::text, 'spent', ceil(${spentUnder} / 1000)::bigint::text,
           'created_at', ${timestampSql(sql`l.created_at`)},
           'updated_at', ${timestampSql(sql`l.updated_at`)}))
           order by ${PLACE}, l.created_at, l.id), '[]') as items,
         ${timestampSql(sql`
           (${monthBegins} + interval '1 month') at time zone 'UTC'`)} as resets_at,
         ${revisionOf} as revision
    from (${account}) a
    join spend_limit l on l.account_id = a.id
    left join project p on p.id = l.project_id
    left join app_user u on u.id = l.user_id
    left join task t on t.id = l.task_id`;

const PLACE = sql`array_position(array['balance', 'project', 'member', 'task'], l.subject)`;

/** What the ETag is made of, of all limits `l` of an account: what was spent changes nothing. */
const revisionOf: Sql = sql`
  md5(coalesce(string_agg(l.id || ':' || l.amount, ',' order by l.id), ''))`;

/** Whether If-Match allows the limits `l` of a group. */
export const expected = (ifMatch: string | undefined): Sql => matches(ifMatch, revisionOf);

export const answer = ({ items, resets_at, revision }: Limits): Answer => ({
  status: 200,
  body: { limits: items.map(shown), resets_at },
  headers: { etag: etag(revision) },
});

/** A limit with its state; `share` is cut after four digits, so that 1 means reached. */
function shown({ amount, spent, ...limit }: Limit) {
  const [most, sum] = [BigInt(amount), BigInt(spent)];
  const state = sum >= most ? 'reached' : sum * 5n >= most * 4n ? 'warned' : 'ok';
  return {
    ...limit,
    amount: usdText(most),
    spent: usdText(sum),
    share: Number((sum * 10_000n) / most) / 10_000,
    state,
  };
}
