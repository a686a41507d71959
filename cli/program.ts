import { Command, CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { readConfig } from '../server/platform/config/config.ts';
import { withoutSecrets } from '../server/telemetry/hide-secrets.ts';
import { addAudit } from './audit.ts';
import { addBackup } from './backup.ts';
import { type Cli, refuseMisreadOptions } from './command.ts';
import { addCredits } from './credits.ts';
import { addDoctor } from './doctor.ts';
import { addExport } from './export.ts';
import { exitCode, explain, UNUSABLE } from './failure.ts';
import { addFirstSteps } from './first-steps.ts';
import { addGithub } from './github.ts';
import { addImport } from './import.ts';
import { addKeys } from './keys.ts';
import { addMail } from './mail.ts';
import { addMigrate } from './migrate.ts';
import { addReconcile } from './reconcile.ts';
import { addRefund } from './refund.ts';
import { addReport } from './report.ts';
import { addRestore } from './restore.ts';
import { addRetention } from './retention.ts';
import { addSecrets } from './secrets.ts';
import { addServe } from './serve.ts';
import { addTasks } from './tasks.ts';
import { addUsers } from './users.ts';
import { addWork } from './work.ts';

const COMMANDS = [
  addServe,
  addWork,
  addFirstSteps,
  addImport,
  addExport,
  addMigrate,
  addBackup,
  addRestore,
  addDoctor,
  addKeys,
  addUsers,
  addAudit,
  addCredits,
  addReconcile,
  addRefund,
  addReport,
  addMail,
  addRetention,
  addSecrets,
  addTasks,
  addGithub,
];

/** Where a command reads and prints, and its settings. */
type Surroundings = Pick<Cli, 'stdin' | 'stdout' | 'stderr'> & { env: NodeJS.ProcessEnv };

/** Runs `guildhall` with these arguments, and returns its exit status. Prints every error. */
export async function run(
  args: readonly string[],
  { stdin, stdout, stderr, env }: Surroundings,
): Promise<number> {
  let status = 0;
  const program = programOf({
    readConfig: () => readConfig(env),
    env,
    stdin,
    stdout,
    stderr,
    print: (json, result, text) =>
      void stdout.write(`${json ? JSON.stringify(result, undefined, 2) : text}\n`),
    fail: () => {
      status = 1;
    },
  });
  const tell = (sentence: string) => {
    const said = withoutSecrets(sentence);
    stderr.write(args.includes('--json') ? `${JSON.stringify({ error: said })}\n` : `${said}\n`);
  };
  refuseMisreadOptions(program, args);
  try {
    await program.parseAsync(args, { from: 'user' });
    return status;
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      tell(explain(error, ['debug', 'trace'].includes(env.LOG_LEVEL ?? '')));
      return exitCode(error);
    }
    if (error.exitCode === 0) return 0; // --help, --version
    if (error.code !== 'commander.help') tell(usageFault(error));
    return UNUSABLE;
  }
}

function programOf(cli: Cli): Command {
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
    .version(manifest.version, '--version', 'print the version')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void cli.stdout.write(text),
      writeErr: (text) => void cli.stderr.write(text),
      // Errors are printed once, by `run`; a missing command prints the help.
      outputError: () => {},
    });
  for (const add of COMMANDS) add(program, cli);
  return program;
}

function usageFault({ message }: CommanderError): string {
  const reason = message.replace(/^error: /, '').replace(/\.$/, '');
  return `${reason[0]?.toUpperCase()}${reason.slice(1)}. Add --help for usage.`;
}
