import Type, { type TObject } from 'typebox';
import { sql } from '../../db/sql.ts';
import type { Answer } from '../../http/route.ts';
import { usdText } from './money.ts';

/** What the API shows of the balance of an account. */
export const balanceAnswer = {
  200: {
    description: 'The balance, which may be negative; `available` is what can be spent now.',
    schema: Type.Object({
      balance: Type.String({ description: 'USD' }),
      held: Type.String({ description: 'USD that running work has reserved.' }),
      available: Type.String({ description: 'USD' }),
      status: Type.Enum(['active', 'frozen']),
    }) as TObject,
    example: { balance: '25.00', held: '1.50', available: '23.50', status: 'active' },
  },
};

/** A row of `balanceOfAccount`; amounts in micro-USD. */
export interface Balance {
  balance: bigint;
  held: bigint;
  status: 'active' | 'frozen';
}

export const balanceOfAccount = sql`
  select a.balance, a.held, a.status from billing_account a
    join authorized on a.id = authorized.account_id`;

/** The answer that shows it, in USD. */
export function showBalance({ balance: total, held, status }: Balance): Answer {
  const free = status === 'active' && total > held ? total - held : 0n;
  const body = { balance: usdText(total), held: usdText(held), available: usdText(free), status };
  return { status: 200, body };
}
