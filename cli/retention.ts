import type { Command } from 'commander';
import type { RetentionRule } from '../server/db/retention-rule.ts';
import { retentionRules } from '../server/main/retention-rules.ts';
import { removeOld } from '../server/platform/retention/remove-old.ts';
import { type Cli, table, withEvents, withJson } from './command.ts';

interface Row {
  rule: RetentionRule;
  rows: number;
  failure?: unknown;
}

/** `guildhall retention`: removes now what servers remove once an hour, or says what that would be. */
export function addRetention(program: Command, cli: Cli): void {
  withJson(program.command('retention'))
    .description('remove what is older than the settings RETENTION_…_DAYS say')
    .option('--dry-run', 'only say what would be removed, and how many rows')
    .action(async ({ dryRun = false, json }: { dryRun?: boolean; json?: boolean }) => {
      const config = cli.readConfig();
      const found = await withEvents(config, async (db, events) => {
        const rules = retentionRules(config, events);
        if (!dryRun) {
          const removals = await removeOld(db, rules);
          return removals.map(({ removed, ...rest }): Row => ({ ...rest, rows: removed }));
        }
        const rows: Row[] = [];
        for (const rule of rules)
          rows.push({ rule, rows: rule.days === undefined ? 0 : await rule.due(db) });
        return rows;
      });
      cli.print(json, { dry_run: dryRun, rules: found.map(shown) }, asText(found, dryRun));
      if (found.some(({ failure }) => failure !== undefined)) cli.fail();
    });
}

const shown = ({ rule: { name, setting, days }, rows, failure }: Row): object => ({
  name,
  setting,
  ...(days === undefined ? {} : { days }),
  rows,
  ...(failure === undefined ? {} : { failure: reasonOf(failure) }),
});

const reasonOf = (failure: unknown) =>
  failure instanceof Error ? failure.message : String(failure);

const kept = (days: number | undefined): string => {
  if (days === undefined) return 'for ever';
  if (days === 0) return 'not at all';
  return days === 1 ? '1 day' : `${days} days`;
};

function asText(found: Row[], dryRun: boolean): string {
  const rows = found.map(({ rule: { name, setting, days }, rows, failure }) => [
    name,
    setting,
    kept(days),
    failure === undefined ? String(rows) : `${rows}, then failed: ${reasonOf(failure)}`,
  ]);
  return table(['WHAT', 'SETTING', 'KEPT', dryRun ? 'DUE' : 'REMOVED'], rows);
}
