import { constants } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { type Cli, withDatabase, withJson } from './command.ts';
import { Failure } from './failure.ts';
import { realMoney } from './real-money.ts';

/** An import with fewer rows is finished before anyone asks about its progress. */
const LARGE = 5_000;

interface ImportCommand {
  json?: boolean;
  grantBalances?: boolean;
  existingUsers: 'refuse' | 'match';
}

/** `guildhall import FILE`: loads a world file, all or nothing, and prints the new ids. */
export function addImport(program: Command, cli: Cli): void {
  withJson(program.command('import'))
    .description(
      'load a world file (- for standard input), all or nothing; prints the new ids as JSON',
    )
    .argument('<file>', 'a world file in JSON, such as demo/world.json')
    .addOption(
      new Option('--existing-users <mode>', 'what to do with addresses that the database has')
        .choices(['refuse', 'match'])
        .default('refuse'),
    )
    .option(
      '--grant-balances',
      'grant the balances of the file as credits, where balances are real money',
    )
    .action(async (file: string, options: ImportCommand) => {
      const config = cli.readConfig();
      const world = await readWorldFile(file, cli.stdin);
      const onProgress = options.json ? () => {} : progress(cli.stderr);
      const { importWorld } = await import('./world/load.ts'); // with its validator: only here
      const { existingUsers, grantBalances = false } = options;
      // Before the first start of a server, its settings say what balances are.
      const ofSettings = config.billing?.testMoney !== true;
      const ids = await withDatabase(
        config,
        async (db) => {
          if (grantBalances) await realMoney(db, config);
          const balances = { grantBalances, ofSettings };
          return importWorld(db, world, { onProgress, existingUsers, balances });
        },
        { mayCreate: true },
      );
      if (ids.secrets !== undefined)
        cli.stderr.write(
          'The file has no values of secrets. Set these in the settings of their projects: ' +
            `${Object.entries(ids.secrets)
              .map(([project, names]) => `${names.join(', ')} of ${project}`)
              .join('; ')}\n`,
        );
      cli.stdout.write(`${JSON.stringify(ids, undefined, 2)}\n`);
    });
}

async function readWorldFile(file: string, stdin: Cli['stdin']): Promise<unknown> {
  const name = file === '-' ? 'Standard input' : file;
  const content = await (file === '-' ? text(stdin) : readFile(file, 'utf8')).catch(
    (error: NodeJS.ErrnoException) => {
      if (isTooLarge(error)) throw new Failure(tooLarge(name));
      throw new Failure(
        `${name} cannot be read (${error.code}): specify a world file, such as demo/world.json.`,
      );
    },
  );
  try {
    return JSON.parse(content.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new Failure(
      `${name} is not JSON: ${(error as Error).message}. Correct it, then import it again.`,
    );
  }
}

// Node.js says so in one of three ways, which depend on the size and on where the text comes from.
const isTooLarge = ({ code, message }: NodeJS.ErrnoException): boolean =>
  code === 'ERR_STRING_TOO_LONG' ||
  code === 'ERR_FS_FILE_TOO_LARGE' ||
  message === 'Invalid string length';

const LARGEST_MIB = Math.floor(constants.MAX_STRING_LENGTH / 1024 ** 2);

const tooLarge = (name: string): string =>
  `${name} has more than ${LARGEST_MIB} MiB, which an import cannot read: leave out tasks or revisions that are not needed.`;

/** Reports the progress of a large import on standard error, in steps of a tenth. */
function progress(stderr: Cli['stderr']): (done: number, total: number) => void {
  let shown = 0;
  return (done, total) => {
    const tenth = Math.floor((done / total) * 10);
    if (total < LARGE || tenth === shown) return;
    shown = tenth;
    stderr.write(`${done} of ${total} rows written${done === total ? ', committing' : ''}\n`);
  };
}
