import { Command, CommanderError } from 'commander';
import { readConfig } from '../api/config.ts';
import { withoutSecrets } from '../api/telemetry/hide-secrets.ts';
import { addAudit } from './audit.ts';
import { refuseRepeatedOptions } from './command.ts';
import { addCredits } from './credits.ts';
import { addExport } from './export.ts';
import { exitCode, explain, UNUSABLE } from './failure.ts';
import { addGithub } from './github.ts';
import { addImport } from './import.ts';
import { addKeys } from './keys.ts';
import { addMail } from './mail.ts';
import { addMigrate } from './migrate.ts';
import { addReconcile } from './reconcile.ts';
import { addRefund } from './refund.ts';
import { addReport } from './report.ts';
import { addSecrets } from './secrets.ts';
import { addServe } from './serve.ts';
import { addTasks } from './tasks.ts';
import { addUsers } from './users.ts';
import { addWork } from './work.ts';

const json = process.argv.includes('--json');
const debug = ['debug', 'trace'].includes(process.env.LOG_LEVEL ?? '');

const program = new Command('guildhall')
  .description(
    'Control plane of an AI software workshop: serves its HTTP API and maintains its database.',
  )
  .usage('<command> [options]')
  .addHelpText(
    'after',
    `
Settings are environment variables: docs/operations.md lists them.
Exit status: 0 for success, 1 for a failure, 2 for wrong usage or a wrong configuration,
128 and its number when a signal ended a start.`,
  )
  .helpCommand(false)
  .exitOverride()
  // Errors are printed once, below; a missing command prints the help.
  .configureOutput({ outputError: () => {} });

const config = () => readConfig(process.env);
for (const add of [
  addServe,
  addWork,
  addImport,
  addExport,
  addMigrate,
  addKeys,
  addUsers,
  addAudit,
  addCredits,
  addReconcile,
  addRefund,
  addReport,
  addMail,
  addSecrets,
  addTasks,
  addGithub,
])
  add(program, config);
refuseRepeatedOptions(program);

// `guildhall keys list | head` closes the pipe before everything is written, which is not a
// failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) refuseUsage(error);
  else {
    tell(explain(error, debug));
    process.exitCode = exitCode(error);
  }
}

function refuseUsage(error: CommanderError): void {
  if (error.exitCode === 0) return; // --help
  process.exitCode = UNUSABLE;
  if (error.code === 'commander.help') return;
  const reason = error.message.replace(/^error: /, '').replace(/\.$/, '');
  tell(`${reason[0]?.toUpperCase()}${reason.slice(1)}. Add --help for usage.`);
}

function tell(sentence: string): void {
  const said = withoutSecrets(sentence);
  process.stderr.write(json ? `${JSON.stringify({ error: said })}\n` : `${said}\n`);
}
