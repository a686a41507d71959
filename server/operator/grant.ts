import Type from 'typebox';
import { balanceLimit, type Grantee, grantCredits, storedMode, usdText } from '../billing/index.ts';
import type { Tx } from '../db/database/database.ts';
import type { Caller } from '../http/caller.ts';
import { apiError, notFound } from '../http/errors.ts';
import { object, text, usdAmount, uuid } from '../http/input/fields.ts';
import { usd } from '../http/resource.ts';
import type { Answer } from '../http/route.ts';
import { recordChange } from '../platform/audit/audit.ts';

const testMoney = apiError(
  409,
  'test_money',
  'Balances are test money here: what is granted would become void with it. Start the server with ' +
    'BILLING=credits, stripe or off first',
);

export const grantErrors = [testMoney, balanceLimit];

export const grantBody = object({
  amount: usdAmount({ minimum: 0.01, maximum: 1_000_000, description: 'USD' }),
  reason: text({ minLength: 1, maxLength: 500, description: 'Why, for the audit trail.' }),
});

export const grantSample = () => ({ body: { amount: '50.00', reason: 'For the pilot' } });

export const granted = {
  201: {
    description: 'What was granted, and the balance right after it.',
    schema: Type.Object(
      { id: uuid({ description: 'Of the posting.' }), amount: usd(), balance: usd() },
      { $id: 'Grant' },
    ),
    example: {
      id: '9b2d7a1e-3c4f-4d5a-8b6c-7d8e9f0a1b2c',
      amount: '50.00',
      balance: '62.50',
    },
  },
};

/** Adds to a balance what no card pays, as the command line does, in the caller's transaction. */
export async function grant(
  tx: Tx,
  to: Grantee,
  {
    amount,
    reason,
    caller,
    requestId,
  }: { amount: bigint; reason: string; caller: Caller; requestId: string },
): Promise<Answer> {
  const mode = await storedMode(tx);
  if (mode === undefined || mode.testMoney || mode.voiding) throw testMoney();
  const made = await grantCredits(tx, { to, amount, reason, key: undefined }, (event) =>
    recordChange(tx, {
      id: event.id,
      caller,
      action: 'credits.grant',
      target: 'userId' in to ? to.userId : to.workspaceId,
      ...('workspaceId' in to && { organizationId: to.workspaceId }),
      before: { balance: usdText(event.before) },
      after: { balance: usdText(event.after), amount: usdText(amount), reason },
      requestId,
      forOperators: true,
    }),
  );
  if (made.kind === 'tooMuch') throw balanceLimit();
  if (!('transferId' in made)) throw notFound();
  const { transferId: id, balance } = made;
  return { status: 201, body: { id, amount: usdText(amount), balance: usdText(balance) } };
}
