import type { Command } from 'commander';
import { readMarker } from '../server/main/backup/marker.ts';
import type { Restored } from '../server/main/backup/restore.ts';
import { summaryOf } from './backup.ts';
import { type Cli, untilInterrupted, withJson } from './command.ts';
import { explain, Failure } from './failure.ts';
import { progressOn } from './progress.ts';

interface RestoreCommand {
  json?: boolean;
  acceptOtherSecret?: boolean;
}

const SHOWN = 20;

/** `guildhall restore FILE`: writes an archive of `guildhall backup` to an empty place. */
export function addRestore(program: Command, cli: Cli): void {
  withJson(program.command('restore'))
    .description(
      'write an archive of `guildhall backup` to an empty DATA_DIR and an empty database',
    )
    .argument('<file>', 'the archive')
    .option('--accept-other-secret', 'go on although SERVER_SECRET is another one')
    .addHelpText(
      'after',
      `
DATA_DIR must be empty, and so must the database of DATABASE_URL, which its owner's login opens; without
DATABASE_URL, the embedded one is made in DATA_DIR. The whole archive is checked before anything is
written. If it is interrupted, no server starts there; run it again, and it begins anew.
Exit status: 0 if everything is there and right, 1 if nothing was restored, or if \`audit ledger\` or
\`git fsck\` found something in what was, 2 for wrong usage or settings.`,
    )
    .action(async (file: string, { json, acceptOtherSecret = false }: RestoreCommand) => {
      const config = cli.readConfig();
      const { restore } = await import('../server/main/backup/restore.ts');
      await untilInterrupted(async (signal) => {
        const { onStep, clear } = progressOn(cli.stderr, signal);
        const began = performance.now();
        const restored = await restore(config, { file, acceptOtherSecret, onStep })
          .finally(clear)
          .catch(async (error) => {
            if ((await readMarker(config.repositories).catch(() => undefined)) === undefined)
              throw error;
            throw new Failure(`${ended(explain(error, false))} ${halfRestored(config.dataDir)}`);
          });
        const seconds = Math.round((performance.now() - began) / 100) / 10;
        const { ledger, repositories = [] } = restored.found ?? {};
        const holds = ledger === undefined ? null : ledger.violations.length === 0;
        const result = {
          file,
          seconds,
          ...summaryOf(restored.manifest),
          ledger_holds: holds,
          faulty_repositories: repositories,
        };
        cli.print(json, result, asText(restored, seconds));
        if (holds === false || repositories.length > 0) cli.fail();
      });
    });
}

/** What the operating system says has no full stop. */
const ended = (sentence: string) => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`);

const halfRestored = (dataDir: string) =>
  `${dataDir} is half restored, and no server starts there: run this again, and it begins anew.`;

function asText({ manifest, found }: Restored, seconds: number): string {
  const { created_at, rows, files, repositories: count } = summaryOf(manifest);
  const what = `the backup of ${created_at}: ${rows} rows, ${files} files, ${count} repositories`;
  if (found === undefined)
    return `An earlier restore had written ${what}. Its last step is done now.`;
  const { ledger, repositories } = found;
  return [
    `Restored ${what}, in ${seconds} s.`,
    ledger.violations.length === 0
      ? `The ledger holds: ${ledger.accounts} accounts, ${ledger.transfers} transfers, ${ledger.customerBalance} USD.`
      : `THE LEDGER DOES NOT HOLD: ${ledger.violations.length} violations. Run \`guildhall audit ledger\` before you start a server.`,
    repositories.length === 0
      ? `git fsck: all ${count} repositories are whole.`
      : [
          `GIT FSCK FOUND FAULTS in ${repositories.length} of ${count} repositories:`,
          ...repositories.slice(0, SHOWN).map(({ name, fault }) => `  ${name}: ${fault}`),
        ].join('\n'),
    'Before you start a server, read docs/operations/backup.md, "After a restore".',
  ].join('\n');
}
