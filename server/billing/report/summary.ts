import { usdText } from '../ledger/money.ts';
import type { Difference } from './differences.ts';
import type { Moved, Movement } from './figures.ts';
import { isExplained, isFetched, type Report } from './report.ts';

/** A report as it is printed: amounts are USD as decimal text. */
export type Summary = ReturnType<typeof summaryOf>;

/** Derives every printed figure. `holds`: all checks do, and every difference is explained. */
export function summaryOf(report: Report) {
  const { month, movements, liabilities, tax, moved } = report;
  const checks = checksOf(report);
  const { closing, closing_debts, opening, opening_debts } = liabilities;
  return {
    month: month.name,
    from: month.from.toISOString(),
    to: month.to.toISOString(),
    over: report.over,
    reported_at: report.reportedAt.toISOString(),
    holds: checks.every((check) => check.holds),
    top_ups: {
      count: kindOf(movements, 'top_up').count,
      gross: usdText(kindOf(movements, 'top_up').credited),
    },
    refunds: {
      count: kindOf(movements, 'refund').count,
      refunded: usdText(kindOf(movements, 'refund').debited),
      sent_back: usdText(kindOf(movements, 'refund_reversal').credited),
    },
    disputes: {
      withdrawn: usdText(kindOf(movements, 'dispute').debited),
      reinstated: usdText(kindOf(movements, 'dispute_reversal').credited),
    },
    fees: feesOf(moved),
    tax: {
      documents: Number(tax.documents),
      invoiced: usdText(tax.invoiced),
      credited: usdText(tax.credited),
      total: usdText(tax.invoiced - tax.credited),
    },
    revenue: revenueOf(report),
    movements: movements.map(({ kind, count, credited, debited }) => ({
      kind,
      count: Number(count),
      credited: usdText(credited),
      debited: usdText(debited),
    })),
    liabilities: {
      opening: usdText(opening),
      opening_debts: usdText(opening_debts),
      credited: usdText(sum(movements.map(({ credited }) => credited))),
      debited: usdText(sum(movements.map(({ debited }) => debited))),
      closing: usdText(closing),
      closing_debts: usdText(closing_debts),
    },
    processors: (['stripe', 'sandbox'] as const)
      .filter((name) => moved.some(({ processor }) => processor === name))
      .map((name) => processorOf(name, moved)),
    net_cash: usdText(netOf(moved.filter(({ processor }) => processor === 'stripe'))),
    ...(report.fetchedUntil && { fetched_until: report.fetchedUntil.toISOString() }),
    checks,
    differences: report.differences.map(differenceOf),
    differences_found: report.differencesFound,
  };
}

const sum = (amounts: bigint[]): bigint => amounts.reduce((total, each) => total + each, 0n);

function kindOf(movements: readonly Movement[], kind: Movement['kind']) {
  const found = movements.find((each) => each.kind === kind);
  const { count = 0n, credited = 0n, debited = 0n } = found ?? {};
  return { count: Number(count), credited, debited };
}

const of = (moved: readonly Moved[], category: Moved['category']) =>
  moved.filter((each) => each.category === category);

// A fee of the account is a movement of its own; those of charges are kept from their amount.
function feesOf(moved: readonly Moved[]) {
  const kept = (category: Moved['category']) => sum(of(moved, category).map(({ fee }) => fee));
  const account = sum(of(moved, 'fee').map(({ amount, fee }) => fee - amount));
  const [charges, refunds, chargebacks] = [kept('charge'), kept('refund'), kept('dispute')];
  return {
    charges: usdText(charges),
    refunds: usdText(refunds),
    chargebacks: usdText(chargebacks),
    account: usdText(account),
    total: usdText(charges + refunds + chargebacks + account),
  };
}

const netOf = (moved: readonly Moved[]) => sum(moved.map(({ amount, fee }) => amount - fee));

function processorOf(name: Moved['processor'], all: readonly Moved[]) {
  const moved = all.filter(({ processor }) => processor === name);
  const amount = (category: Moved['category']) =>
    usdText(sum(of(moved, category).map((each) => each.amount)));
  return {
    name,
    moves_money: name === 'stripe',
    charges: amount('charge'),
    refunds: amount('refund'),
    disputes: amount('dispute'),
    fees: feesOf(moved).total,
    net: usdText(netOf(moved)),
  };
}

// Less than one micro-USD of each balance is carried into its next settlement.
function revenueOf({ movements, revenue }: Report) {
  const total = kindOf(movements, 'usage').debited;
  const carried = total * 1_000n - sum(revenue.map(({ nano }) => nano));
  return {
    total: usdText(total),
    by_kind: revenue.map(({ kind, nano }) => ({ kind, amount: usdOfNano(nano) })),
    carried: usdOfNano(carried),
  };
}

function usdOfNano(nano: bigint): string {
  const digits = (nano < 0n ? -nano : nano).toString().padStart(10, '0');
  const decimals = digits.slice(-9).replace(/0{1,7}$/, '');
  return `${nano < 0n ? '-' : ''}${digits.slice(0, -9)}.${decimals}`;
}

function checksOf(report: Report) {
  const { broken, opening, opening_debts, closing, closing_debts } = report.liabilities;
  const change = sum(report.movements.map(({ credited, debited }) => credited - debited));
  const unexplained = report.differences.filter((each) => !isExplained(each)).length;
  const until = report.fetchedUntil?.toISOString() ?? 'never';
  return [
    {
      name: 'balances_follow_from_postings',
      holds: broken === 0n && opening - opening_debts + change === closing - closing_debts,
      detail:
        `opening ${usdText(opening - opening_debts)} + movements ${usdText(change)} = ` +
        `closing ${usdText(closing - closing_debts)}; accounts where not: ${broken}`,
    },
    {
      name: 'stripe_was_fetched',
      holds: isFetched(report),
      detail:
        report.fetchedUntil === null
          ? 'Stripe has charged nothing'
          : `what Stripe reports was fetched until ${until}`,
    },
    {
      name: 'ledger_agrees_with_processor',
      holds: unexplained === 0,
      detail: `differences: ${report.differencesFound}, unexplained: ${unexplained}`,
    },
  ];
}

const differenceOf = (difference: Difference) => {
  const { reason, what, processor, topUpId, status, intentId, ids } = difference;
  return {
    reason,
    explained: isExplained(difference),
    what,
    processor,
    ...(topUpId !== null && { top_up_id: topUpId }),
    ...(status !== null && { top_up_status: status }),
    intent_id: intentId,
    processor_ids: ids,
    in_ledger: usdText(difference.inLedger),
    at_processor: usdText(difference.atProcessor),
  };
};
