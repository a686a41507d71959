import { setTimeout as pause } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { pino } from 'pino';
import { backgroundWork } from '../server/billing/background.ts';
import { cardRefusal } from '../server/billing/mode/card-refusals.ts';
import type { Database } from '../server/db/database/database.ts';
import { openLog } from '../server/telemetry/log.ts';
import { type Cli, untilInterrupted, withDatabase, withJson } from './command.ts';
import { openSameProcessor } from './same-processor.ts';

const WATCH_EVERY = 5_000;

/**
 * `guildhall reconcile`: the background work on money that a server does, once or until it is
 * stopped.
 */
export function addReconcile(program: Command, cli: Cli): void {
  withJson(program.command('reconcile'))
    .description('check the open top-ups, refunds and processor events that are due')
    .addOption(new Option('--once', 'one round (the default)').conflicts('watch'))
    .option(
      '--watch',
      'repeat until SIGINT or SIGTERM; with --json, print one line of JSON per round',
    )
    .action(async ({ watch, json }: { watch?: boolean; json?: boolean }) => {
      const config = cli.readConfig();
      const work = async (db: Database, stop: AbortSignal) => {
        const log = openLog(config.logLevel, pino.destination({ fd: 2, sync: true }));
        const background = backgroundWork(db, await openSameProcessor(db, config), {
          checks: config.topUpChecks,
          limits: config.topUps,
          takesCards: cardRefusal(config.billing?.mode) === undefined,
          log,
        });
        do {
          const done = await background.round();
          const { events, checked, settled, failed, open, late, others, refunds, reloads } = done;
          const left =
            others > 0
              ? ` Left alone, because they belong to another card processor: ${others}.`
              : '';
          const text = `Checked ${checked} top-ups: ${settled} settled, ${failed} failed, ${open} open (${late} late).${left} Processed ${events} events and ${refunds} refunds, recharged ${reloads} balances.`;
          if (watch && json) cli.stdout.write(`${JSON.stringify(done)}\n`);
          else cli.print(json, done, text);
          if (watch) await pause(WATCH_EVERY, undefined, { signal: stop }).catch(() => {});
        } while (watch && !stop.aborted);
      };
      await untilInterrupted((stop) => withDatabase(config, (db) => work(db, stop)));
    });
}
