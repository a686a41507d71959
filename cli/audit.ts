import type { Command } from 'commander';
import { auditLedger, type LedgerAudit } from '../server/billing/audit/ledger-audit.ts';
import type { LedgerViolation } from '../server/billing/audit/violation.ts';
import { stuckEvents } from '../server/billing/top-ups/stuck-events.ts';
import { type Cli, table, withDatabase, withJson } from './command.ts';

const SHOWN = 50;

/** `guildhall audit ledger`: proves that the books balance; exits with 1 if they do not. */
export function addAudit(program: Command, cli: Cli): void {
  const audit = program
    .command('audit')
    .usage('<command> [options]')
    .helpCommand(false)
    .description('check that stored data is consistent');
  withJson(audit.command('ledger'))
    .description('check every balance and every top-up against the ledger')
    .action(async ({ json }: { json?: boolean }) => {
      const found = await withDatabase(cli.readConfig(), async (db) => ({
        ...(await auditLedger(db)),
        stuck: await stuckEvents(db),
      }));
      cli.print(json, asJson(found), asText(found));
      if (found.violations.length > 0) cli.fail();
    });
}

/**
 * `stuck`: events that keep failing. The ledger holds, but does not yet contain what they report.
 */
type Found = LedgerAudit & { stuck: { count: number; ids: string[] } };

function asJson(found: Found): object {
  const { oldestOpenTopUp: open } = found;
  return {
    holds: found.violations.length === 0,
    accounts: found.accounts,
    transfers: found.transfers,
    top_ups: found.topUps,
    customer_balance: found.customerBalance,
    processor_clearing: found.processorClearing,
    ...(open
      ? {
          oldest_open_top_up: { id: open.topUpId, status: open.status, created_at: open.createdAt },
        }
      : {}),
    stuck_events: found.stuck,
    violations: found.violations.map(({ rule, accountId, topUpId, detail }) => ({
      rule,
      account_id: accountId,
      top_up_id: topUpId,
      detail,
    })),
  };
}

function asText(found: Found): string {
  const { oldestOpenTopUp: open, violations } = found;
  const topUps = Object.entries(found.topUps).filter(([, count]) => count > 0);
  const figures = table(
    ['FIGURE', 'VALUE'],
    [
      ['customer accounts', String(found.accounts)],
      ['transfers', String(found.transfers)],
      ['customer balances', `${found.customerBalance} USD`],
      ['processor clearing', `${found.processorClearing} USD`],
      ['top-ups', topUps.map(([state, count]) => `${count} ${state}`).join(', ') || 'none'],
      [
        'oldest open top-up',
        open ? `${open.topUpId}, ${open.status} since ${open.createdAt}` : 'none',
      ],
      ['stuck events', [String(found.stuck.count), ...found.stuck.ids].join(' ')],
    ],
  );
  if (violations.length === 0) return `${figures}\n\nThe ledger holds.`;
  const lines = violations.slice(0, SHOWN).map(asLine);
  if (violations.length > SHOWN)
    lines.push(`  … and ${violations.length - SHOWN} more; --json shows all`);
  const next = 'Stop all servers, leave the database as it is, and find out what wrote to it.';
  return `${figures}\n\nThe ledger does not hold:\n${lines.join('\n')}\n${next}`;
}

function asLine({ rule, accountId, topUpId, detail }: LedgerViolation): string {
  const where = accountId ? ` account ${accountId}` : topUpId ? ` top-up ${topUpId}` : '';
  return `  ${rule}:${where ? `${where}:` : ''} ${detail}`;
}
