import { type Command, InvalidArgumentError } from 'commander';
import { fetchBalance } from '../server/billing/report/fetch-balance.ts';
import { type Month, monthOf } from '../server/billing/report/month.ts';
import { recordedSince, reportOf } from '../server/billing/report/report.ts';
import { type Summary, summaryOf } from '../server/billing/report/summary.ts';
import { dayOf } from '../server/http/day-of.ts';
import { openProcessor } from '../server/main/open-processor.ts';
import { ConfigError } from '../server/platform/config/config.ts';
import { withoutSecrets } from '../server/telemetry/hide-secrets.ts';
import { type Cli, table, withDatabase, withJson } from './command.ts';

const SHOWN = 50;

/**
 * `guildhall report`: the money of a month; exits with 1 if it does not add up. A month without any
 * record is wrong usage, because a script must not take its zeros for proof.
 */
export function addReport(program: Command, cli: Cli): void {
  withJson(program.command('report'))
    .description('report the money of a month, and compare the ledger with the card processor')
    .requiredOption('--month <month>', 'a month in UTC, such as 2026-11', month)
    .addHelpText(
      'after',
      `
Exit status: 0 if the month adds up, 1 if it does not, 2 if there is nothing to report: the month
has not begun yet, or it ended before this installation began. A month in between in which nothing
happened is a report of zeros.`,
    )
    .action(async ({ month, json }: { month: Month; json?: boolean }) => {
      const config = cli.readConfig();
      await withDatabase(config, async (db) => {
        const since = await recordedSince(db);
        if (month.to <= since)
          throw new InvalidArgumentError(
            `Nothing is recorded of ${month.name}: this installation began on ${dayOf(since)}`,
          );
        const processor = await openProcessor(db, config);
        // What was fetched before counts when Stripe cannot be reached now.
        const failure = await fetchBalance(db, processor).then(
          () => undefined,
          (error: unknown) => reasonOf(error),
        );
        const summary = summaryOf(await reportOf(db, month));
        const said = failure === undefined ? summary : { ...summary, not_fetched: failure };
        cli.print(json, said, asText(summary, failure));
        if (!summary.holds) cli.fail();
      });
    });
}

function month(text: string): Month {
  const found = monthOf(text);
  if (found === undefined)
    throw new InvalidArgumentError('It must be a year and a month, such as 2026-11.');
  if (found.from > new Date())
    throw new InvalidArgumentError('That month has not begun yet, so nothing is recorded of it.');
  return found;
}

function reasonOf(error: unknown): string {
  if (error instanceof ConfigError) throw error;
  return withoutSecrets(error instanceof Error ? error.message : String(error));
}

function asText(report: Summary, failure: string | undefined): string {
  const { checks, over } = report;
  const parts = [
    `${report.month} (UTC)${over ? '' : ', which is not over yet'}`,
    table(['FIGURE', 'USD', ''], figuresOf(report)),
    checks
      .map(({ name, holds, detail }) => `${holds ? 'ok  ' : 'FAIL'} ${name}: ${detail}`)
      .join('\n'),
  ];
  if (failure !== undefined) parts.push(`Stripe could not be asked now: ${failure}`);
  if (report.differences.length > 0) parts.push(differencesOf(report));
  parts.push(
    report.holds
      ? 'The month adds up.'
      : 'The month does not add up: docs/money.md says what each difference means.',
  );
  return parts.join('\n\n');
}

function figuresOf({ fees, tax, revenue, liabilities, ...report }: Summary): string[][] {
  const OWN = ['top_up', 'refund', 'refund_reversal', 'dispute', 'dispute_reversal', 'usage'];
  return [
    ['top-ups', report.top_ups.gross, `${report.top_ups.count}`],
    ['refunds', report.refunds.refunded, `${report.refunds.count}`],
    ['refunds that banks sent back', report.refunds.sent_back, ''],
    ['disputes, withdrawn', report.disputes.withdrawn, ''],
    ['disputes, reinstated', report.disputes.reinstated, ''],
    ['fees of charges', fees.charges, ''],
    ['fees of refunds', fees.refunds, ''],
    ['fees of chargebacks', fees.chargebacks, ''],
    ['fees of the account', fees.account, ''],
    ['tax in invoices', tax.total, `${tax.documents} documents`],
    ['revenue: usage', revenue.total, ''],
    ...revenue.by_kind.map(({ kind, amount }) => [`  ${kind}`, amount, '']),
    ...(revenue.by_kind.length > 0 ? [['  carried over', revenue.carried, '']] : []),
    ...report.movements
      .filter(({ kind }) => !OWN.includes(kind))
      .map(({ kind, credited, debited, count }) => [
        kind.replaceAll('_', ' '),
        `${credited} / ${debited}`,
        `${count}, credited and debited`,
      ]),
    ['balances before', liabilities.opening, `and debts of ${liabilities.opening_debts}`],
    ['credited to balances', liabilities.credited, ''],
    ['debited from balances', liabilities.debited, ''],
    ['balances after', liabilities.closing, `and debts of ${liabilities.closing_debts}`],
    ...report.processors.map(({ name, net, moves_money }) => [
      `net of ${name}`,
      net,
      moves_money ? '' : 'no money was moved',
    ]),
    ['net cash', report.net_cash, ''],
  ];
}

function differencesOf({ differences, differences_found: found }: Summary): string {
  const listed = differences.slice(0, SHOWN);
  const lines = listed.map(
    ({ reason, what, processor, top_up_id, top_up_status, intent_id, processor_ids, ...amounts }) =>
      `  ${reason}: ${what} of top-up ${top_up_id ?? 'unknown'}` +
      `${top_up_status === undefined ? '' : ` (${top_up_status})`}: ` +
      `${amounts.in_ledger} in the ledger, ${amounts.at_processor} at ${processor}: ` +
      [intent_id, ...processor_ids].join(' '),
  );
  const more = found - listed.length;
  if (more > 0) lines.push(`  … and ${more} more; --json shows more of them`);
  return ['Differences:', ...lines].join('\n');
}
