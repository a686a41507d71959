import { type Command, InvalidArgumentError } from 'commander';
import { type Granted, grantCredits } from '../server/billing/ledger/grant-credits.ts';
import { MICRO_PER_CENT, microUsd, usdText } from '../server/billing/ledger/money.ts';
import { type Database, violatedConstraint } from '../server/db/database/database.ts';
import { parseUuid } from '../server/http/input/uuid.ts';
import { lockUser, type UserRef } from '../server/identity/users/users.ts';
import { type Cli, withDatabase, withJson } from './command.ts';
import { Failure } from './failure.ts';
import { realMoney } from './real-money.ts';
import { recordFromCli } from './record.ts';
import { readUserRef, unknownUser } from './user-ref.ts';
import { clean } from './world/clean.ts';

interface GrantCommand {
  json?: boolean;
  workspace?: string;
  user?: UserRef;
  amount: bigint;
  reason: string;
  key?: string;
}

/** `guildhall credits grant`: adds to a balance what no card pays. */
export function addCredits(program: Command, cli: Cli): void {
  const credits = program
    .command('credits')
    .usage('<command> [options]')
    .helpCommand(false)
    .description('grant credits to workspaces and people');
  withJson(credits.command('grant'))
    .description('add to the balance of a workspace or a person what no card pays')
    .option('--workspace <id>', 'the workspace', readWorkspace)
    .option(
      '--user <user>',
      'the person, by email address or id, for their own balance',
      readUserRef,
    )
    .requiredOption('--amount <usd>', 'how much, such as 50.00', readAmount)
    .requiredOption('--reason <text>', 'why, for the audit trail', readReason)
    .option('--key <key>', 'a name of this grant: repeated with the same, it is made once', readKey)
    .action(async (options: GrantCommand) => {
      const { workspace, user, amount, reason, key, json } = options;
      if ((workspace === undefined) === (user === undefined))
        throw new InvalidArgumentError('Say who gets it: either --workspace or --user.');
      const config = cli.readConfig();
      const { granted, mode } = await withDatabase(config, async (db) => ({
        mode: await realMoney(db, config),
        granted: await grant(db, options),
      }));
      const usd = { amount: usdText(amount), balance: usdText(granted.balance) };
      const done =
        granted.kind === 'repeated'
          ? `These ${usd.amount} USD were granted before under the key ${key}; nothing was added.`
          : `Granted ${usd.amount} USD; the balance is ${usd.balance} USD.`;
      const note = mode === 'off' ? ' BILLING is off: nothing is charged from it now.' : '';
      const { transferId: id, kind } = granted;
      const repeated = kind === 'repeated';
      cli.print(json, { id, ...usd, reason, repeated }, `${done}${note}`);
    });
}

type Made = Extract<Granted, { transferId: string }>;

function grant(
  db: Database,
  { workspace, user, amount, reason, key }: GrantCommand,
): Promise<Made> {
  return db
    .transaction(async (tx) => {
      const userId = user === undefined ? undefined : (await lockUser(tx, user))?.id;
      if (user !== undefined && userId === undefined) throw unknownUser(user);
      const to = userId === undefined ? { workspaceId: workspace as string } : { userId };
      const made = await grantCredits(tx, { to, amount, reason, key }, ({ id, before, after }) =>
        recordFromCli(tx, {
          id,
          action: 'credits.grant',
          target: userId ?? (workspace as string),
          ...(userId === undefined && { organizationId: workspace as string }),
          before: { balance: usdText(before) },
          after: { balance: usdText(after), amount: usdText(amount), reason },
        }),
      );
      if ('transferId' in made) return made;
      throw new Failure(
        {
          unknown: `No workspace has the id ${workspace}: it may have been deleted.`,
          tooMuch: 'A balance must not exceed 1000000000.00 USD: grant less.',
          reused: keyIsUsed(key),
        }[made.kind],
      );
    })
    .catch((error) => {
      // Another grant under this key, to another balance, was committed meanwhile.
      if (violatedConstraint(error) !== 'ledger_transfer_idempotency_key_key') throw error;
      throw new Failure(keyIsUsed(key));
    });
}

const keyIsUsed = (key: string | undefined): string =>
  `The key ${key} was used for another grant: repeat it with the same options, or use a new key.`;

function readWorkspace(text: string): string {
  const parsed = parseUuid(text);
  if (parsed.ok) return parsed.uuid;
  throw new InvalidArgumentError('It must be the id of a workspace.');
}

function readAmount(text: string): bigint {
  const micro = microUsd(text);
  if (micro !== undefined && micro > 0n && micro % MICRO_PER_CENT === 0n) return micro;
  throw new InvalidArgumentError(
    'It must be an amount in USD of at least 0.01 with at most two decimals, such as 50.00.',
  );
}

function readReason(text: string): string {
  const reason = clean(text);
  if (reason.length > 0 && [...reason].length <= 500) return reason;
  throw new InvalidArgumentError('It must be 1 to 500 characters.');
}

function readKey(text: string): string {
  if (/^[\x21-\x7e]{1,100}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be 1 to 100 visible ASCII characters.');
}
