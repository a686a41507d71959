import Type from 'typebox';
import { ownAccount } from '../access/account.ts';
import { nothing, type Sql, sql } from '../db/sql.ts';
import { uuid } from '../http/input/fields.ts';
import { cursorInvalid, decodeCursor, nextLink, paging } from '../http/paging.ts';
import { route } from '../http/route.ts';
import { timestamp, timestampSql } from '../http/timestamps.ts';
import { usdText } from './ledger/money.ts';

/** Every posting to the caller's balance. */
export const listTransactions = route({
  method: 'GET',
  path: '/api/billing/transactions',
  area: 'Billing',
  operationId: 'list_transactions',
  summary: 'List transactions',
  description:
    "Every movement of the caller's balance, newest first. `amount` is negative for money that " +
    'left; `balance` is the balance right after it. The complete list, unless `limit` is given.',
  access: ownAccount,
  query: Type.Object(paging),
  responses: {
    200: {
      description: 'Newest first.',
      headers: ['Link'],
      schema: Type.Array(
        Type.Object({
          id: uuid(),
          kind: Type.String(),
          amount: Type.String({ description: 'USD' }),
          balance: Type.String({ description: 'USD' }),
          reference_type: Type.String(),
          reference_id: uuid(),
          created_at: timestamp(),
        }),
      ),
      example: [
        {
          id: '0c1d2e3f-4a5b-4c6d-8e7f-8a9b0c1d2e3f',
          kind: 'top_up',
          amount: '25.00',
          balance: '50.00',
          reference_type: 'top_up',
          reference_id: '9b2d7c1e-3f4a-4b5c-8d6e-7f8a9b0c1d2e',
          created_at: '2026-11-21T08:15:30.123Z',
        },
      ],
    },
  },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) => {
    const after = decodeCursor(query.cursor, [/^\d{1,18}$/]);
    return statement<{ entries: Entry[] }>({ select: entries(query.limit, after?.[0]) }, (row) => {
      const page = row.entries.slice(0, query.limit);
      const last = page.at(-1);
      return {
        status: 200,
        body: page.map(({ version: _, amount, balance, ...shown }) => ({
          ...shown,
          amount: usdText(BigInt(amount)),
          balance: usdText(BigInt(balance)),
        })),
        headers:
          last && row.entries.length > page.length
            ? nextLink(url, page.length, [last.version])
            : {},
      };
    });
  },
});

/** Micro-USD as text, because JSON has no bigint. */
interface Entry {
  version: string;
  amount: string;
  balance: string;
}

const entries = (limit: number | undefined, before: string | undefined): Sql => sql`
  select (select coalesce(json_agg(json_build_object(
                   'id', l.id, 'kind', l.kind, 'version', l.version::text,
                   'balance', l.balance::text, 'amount', (l.balance - l.previous_balance)::text,
                   'reference_type', l.reference_type, 'reference_id', l.reference_id,
                   'created_at', ${timestampSql(sql`l.created_at`)})
                   order by l.version desc), '[]')
            from (select * from ledger_transfer t
                   where t.account_id = authorized.account_id
                     ${before === undefined ? nothing : sql`and t.version < ${before}::bigint`}
                   order by t.version desc
                   ${limit === undefined ? nothing : sql`limit ${limit + 1}`}) l) as entries
    from authorized`;
