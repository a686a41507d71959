import { type Command, InvalidArgumentError } from 'commander';
import { MICRO_PER_CENT, microUsd, usdText } from '../server/billing/ledger/money.ts';
import { advanceRefund, startRefund } from '../server/billing/top-ups/refund.ts';
import { parseUuid } from '../server/http/input/uuid.ts';
import { type Cli, withDatabase, withJson } from './command.ts';
import { recordFromCli } from './record.ts';
import { openSameProcessor } from './same-processor.ts';

/** `guildhall refund`: returns unspent money of a top-up to its card. */
export function addRefund(program: Command, cli: Cli): void {
  withJson(program.command('refund'))
    .description('return unspent money of a top-up to its card')
    .requiredOption(
      '--top-up <id>',
      'the top-up: the top_up_id in the answer of add-funds',
      topUpId,
    )
    .option(
      '--amount <usd>',
      'how much, such as 12.50; by default, as much as possible',
      wholeCents,
    )
    .action(async ({ topUp, amount, json }: { topUp: string; amount?: bigint; json?: boolean }) => {
      const config = cli.readConfig();
      await withDatabase(config, async (db) => {
        const processor = await openSameProcessor(db, config);
        const begun = await startRefund(db, processor, topUp, amount, (tx, { id, amount: taken }) =>
          recordFromCli(tx, {
            action: 'top_up.refund',
            target: topUp,
            after: { refund_id: id, amount: usdText(taken) },
          }),
        );
        const refund = await advanceRefund(db, processor, begun.id);
        const usd = usdText(refund.amount);
        const said = {
          created:
            `${usd} USD are held for the refund ${refund.id}; ` +
            'the outcome is not known yet and will follow by itself.',
          succeeded: `${usd} USD were refunded.`,
          failed:
            `The card processor refused to refund ${usd} USD: ${refund.failure}. ` +
            'No money was moved.',
        }[refund.status];
        cli.print(
          json,
          { id: refund.id, top_up_id: topUp, amount: usd, status: refund.status },
          said,
        );
        if (refund.status === 'failed') cli.fail();
      });
    });
}

function topUpId(text: string): string {
  const parsed = parseUuid(text);
  if (parsed.ok) return parsed.uuid;
  throw new InvalidArgumentError(
    'It must be the id of a top-up: see the top_up_id in the answer of add-funds, or the ' +
      'reference_id of its credit in the list of transactions.',
  );
}

function wholeCents(text: string): bigint {
  const micro = microUsd(text);
  if (micro !== undefined && micro > 0n && micro % MICRO_PER_CENT === 0n) return micro;
  throw new InvalidArgumentError(
    'It must be an amount in USD of at least 0.01 with at most two decimals, such as 12.50.',
  );
}
