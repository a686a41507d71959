import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type Connecting,
  type Connection,
  connect,
  disconnect,
  listConnections,
} from '../server/code/github/connect.ts';
import { refreshInstallation } from '../server/code/github/refresh-installation.ts';
import { HostError } from '../server/code/hosts/host-error.ts';
import type { Database } from '../server/db/database/database.ts';
import { parseUuid } from '../server/http/input/uuid.ts';
import type { Config } from '../server/platform/config/config.ts';
import { type Cli, table, withDatabase, withJson } from './command.ts';
import { Failure } from './failure.ts';
import { printable } from './printable.ts';
import { recordFromCli } from './record.ts';

type Json = { json?: boolean };
type Chosen = Json & { installation: number; workspace?: string; user?: string };

/** `guildhall github connect | disconnect | list`: who may use which installation of the App. */
export function addGithub(program: Command, cli: Cli): void {
  const github = program
    .command('github')
    .usage('<command> [options]')
    .helpCommand(false)
    .description('connect accounts on GitHub, in which the App is installed, with workspaces');
  withOwner(github.command('connect'))
    .description('let a workspace, or a person, use an installation of the GitHub App')
    .action(async ({ json, installation, ...options }: Chosen, command: Command) => {
      const to = ownerOf(options, command);
      const config = cli.readConfig();
      const done = await withDatabase(config, (db) => connectNow(config, db, installation, to));
      const { login, isNew } = done;
      const text = isNew
        ? `Connected ${printable(login)}: its repositories can be attached to projects now.`
        : `${printable(login)} is connected already.`;
      cli.print(json, { installation_id: installation, account: login, connected: isNew }, text);
    });
  withOwner(github.command('disconnect'))
    .description('end that: its repositories stay attached, and are not available any more')
    .action(async ({ json, installation, ...options }: Chosen, command: Command) => {
      const from = ownerOf(options, command);
      await withDatabase(cli.readConfig(), (db) => disconnectNow(db, installation, from));
      const text = `Disconnected the installation ${installation}.`;
      cli.print(json, { installation_id: installation, connected: false }, text);
    });
  withJson(github.command('list'))
    .description('list the connections')
    .action(async ({ json }: Json) => {
      const rows = await withDatabase(cli.readConfig(), listConnections);
      const none = 'No account on GitHub is connected: see `github connect --help`.';
      cli.print(json, rows.map(shown), rows.length === 0 ? none : asTable(rows));
    });
}

const withOwner = (command: Command): Command =>
  withJson(command)
    .requiredOption(
      '--installation <number>',
      'the number at the end of the address of its settings on GitHub',
      readInstallation,
    )
    .addOption(
      new Option('--workspace <id>', 'for the projects of this workspace').argParser(readId),
    )
    .addOption(
      new Option('--user <id>', 'for the personal projects of this user').argParser(readId),
    );

function ownerOf({ workspace, user }: Omit<Chosen, 'installation'>, command: Command): Connecting {
  if (workspace !== undefined && user === undefined) return { organizationId: workspace };
  if (user !== undefined && workspace === undefined) return { userId: user };
  return command.error('error: give either --workspace or --user');
}

async function connectNow(
  { github: settings }: Config,
  db: Database,
  installationId: number,
  to: Connecting,
): Promise<{ login: string; isNew: boolean }> {
  if (settings === undefined)
    throw new Failure(
      'GITHUB_APP_ID must be set, as it is where the server runs: see docs/github.md.',
    );
  const { openGitHub } = await import('../server/code/github/app.ts');
  const found = await refreshInstallation(db, openGitHub(settings), installationId).catch(
    (error: unknown) => {
      throw error instanceof HostError ? new Failure(`${error.message}.`) : error;
    },
  );
  if (found === undefined)
    throw new Failure(
      `GitHub has no installation ${installationId} of this App: its number is at the end of the ` +
        'address of its settings on GitHub.',
    );
  return db.transaction(async (tx) => {
    const made = await connect(tx, installationId, to);
    if (made === undefined) throw new Failure(unknown(to));
    if (made.isNew) await record(tx, 'github.connect', made.id, { installationId, owner: to });
    return { login: found.login, isNew: made.isNew };
  });
}

function disconnectNow(db: Database, installationId: number, from: Connecting): Promise<void> {
  return db.transaction(async (tx) => {
    const id = await disconnect(tx, installationId, from);
    if (id === undefined)
      throw new Failure(
        `The installation ${installationId} is not connected there: \`github list\` shows what is.`,
      );
    await record(tx, 'github.disconnect', id, { installationId, owner: from });
  });
}

const record = (
  tx: Parameters<typeof recordFromCli>[0],
  action: 'github.connect' | 'github.disconnect',
  target: string,
  { installationId, owner }: { installationId: number; owner: Connecting },
) =>
  recordFromCli(tx, {
    action,
    target,
    ...('organizationId' in owner && { organizationId: owner.organizationId }),
    [action === 'github.connect' ? 'after' : 'before']: {
      installation_id: installationId,
      ...('userId' in owner && { user_id: owner.userId }),
    },
  });

const unknown = (to: Connecting): string =>
  'userId' in to
    ? `No active user has the id ${to.userId}: \`users list\` shows the ids.`
    : `No workspace has the id ${to.organizationId}: \`list_workspaces\` shows the ids.`;

function readInstallation(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new InvalidArgumentError('It must be the number of an installation.');
  return Number(text);
}

function readId(text: string): string {
  const id = parseUuid(text);
  if (!id.ok) throw new InvalidArgumentError('It must be an id.');
  return id.uuid;
}

const shown = (row: Connection): object => ({
  installation_id: Number(row.installation_id),
  account: row.account_login,
  state: stateOf(row),
  ...(row.organization_id === null
    ? { user_id: row.user_id, user_email: row.user_email }
    : { organization_id: row.organization_id, organization_name: row.organization_name }),
});

const stateOf = ({ deleted, suspended }: Connection): string =>
  deleted ? 'gone' : suspended ? 'suspended' : 'connected';

const asTable = (rows: Connection[]): string =>
  table(
    ['INSTALLATION', 'ACCOUNT', 'STATE', 'FOR', 'ID'],
    rows.map((row) => [
      row.installation_id,
      printable(row.account_login),
      stateOf(row),
      printable(row.organization_name ?? row.user_email ?? '-'),
      row.organization_id ?? row.user_id ?? '-',
    ]),
  );
