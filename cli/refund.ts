import type { Command } from 'commander';
import { microUsd, usdText } from '../api/billing/money.ts';
import { driveRefund, startRefund } from '../api/billing/refund.ts';
import { openProcessor } from '../api/main.ts';
import { print, type ReadConfig, withDatabase, withJson } from './command.ts';
import { Failure } from './failure.ts';
import { recordFromCli } from './record.ts';

/** `guildhall refund`: gives back money of a top-up that is not spent, to the card it came from. */
export function addRefund(program: Command, readConfig: ReadConfig): void {
  withJson(program.command('refund'))
    .description('give back unspent money of a top-up to its card')
    .requiredOption('--top-up <id>', 'the top-up')
    .option('--amount <usd>', 'how much, such as 12.50; all that can be, when left out')
    .action(async ({ topUp, amount, json }: { topUp: string; amount?: string; json?: boolean }) => {
      const config = readConfig();
      const micro = amount === undefined ? undefined : microUsd(amount);
      if (amount !== undefined && (micro === undefined || micro <= 0n))
        throw new Failure(`"${amount}" is no amount in USD: write it like 12.50.`);
      if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(topUp))
        throw new Failure(`"${topUp}" is no id of a top-up.`);
      await withDatabase(config, async (db) => {
        const begun = await startRefund(db, topUp, micro, (tx, { id, amount: taken }) =>
          recordFromCli(tx, {
            action: 'top_up.refund',
            target: topUp,
            after: { refund_id: id, amount: usdText(taken) },
          }),
        );
        const refund = await driveRefund(db, openProcessor(db, config), begun.id);
        const usd = usdText(refund.amount);
        const said = {
          created: `${usd} USD are held for the refund ${refund.id}; its outcome is not known yet, and follows by itself.`,
          succeeded: `${usd} USD were refunded.`,
          failed: `The card processor refuses to refund ${usd} USD (${refund.failure}). Nothing was changed.`,
        }[refund.status];
        print(json, { id: refund.id, top_up_id: topUp, amount: usd, status: refund.status }, said);
        if (refund.status === 'failed') process.exitCode = 1;
      });
    });
}
