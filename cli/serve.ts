import cluster from 'node:cluster';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { clusterOf } from '../server/db/embedded/embedded.ts';
import { sql } from '../server/db/sql.ts';
import { createSignInLink } from '../server/identity/sign-in/sign-in-link.ts';
import { lockUser } from '../server/identity/users/users.ts';
import type { Server } from '../server/main/start.ts';
import type { Billing } from '../server/platform/config/billing.ts';
import { type Config, checkKeys, requireBilling } from '../server/platform/config/config.ts';
import { leaveAddress } from './address.ts';
import { announce } from './announce.ts';
import { buildDashboard } from './build-dashboard.ts';
import { type Cli, dataOf, withJson } from './command.ts';
import { DEMO, signInLine } from './demo.ts';
import { recordFromCli } from './record.ts';
import type { WorldIds } from './world/rows.ts';

const DEMO_WORLD = join(import.meta.dirname, '../demo/world.json');

/**
 * `guildhall serve`: serves the API; a first start with the embedded database loads the demo world.
 */
export function addServe(program: Command, cli: Cli): void {
  withJson(program.command('serve'))
    .description(
      'serve the API and carry out tasks until SIGINT or SIGTERM; a first start loads a demo',
    )
    .option(
      '--workers <count>',
      'worker processes on one port: a number, or auto for one per core',
      readWorkers,
    )
    .option('--no-work', 'leave tasks to `guildhall work`, or to other servers')
    .option('--build', 'build the dashboard during the start, if its sources have changed')
    .action(async (options: ServeOptions) => {
      const { workers: count, work, build } = options;
      const config = cli.readConfig();
      requireBilling(config);
      if (work) checkKeys(config);
      // A worker of `--workers` has the arguments of the first process, which builds.
      const dashboard = build && cluster.isPrimary ? buildDashboard() : undefined;
      // Loaded when needed, so that the other commands start at once.
      const { serve, serveWorkers } = await import('../server/main/main.ts');
      const onceServed = (server: Announced) => tell(cli, server, config, options);
      await (count === undefined
        ? serve(config, onceServed, { work, dashboard })
        : serveWorkers(config, onceServed, { count, work, dashboard }));
    });
}

interface ServeOptions {
  json?: boolean;
  workers?: number;
  work: boolean;
  build?: boolean;
}

type Announced = Pick<Server, 'url' | 'metrics' | 'notes' | 'db' | 'embedded'>;

function readWorkers(text: string): number {
  if (text === 'auto') return availableParallelism();
  if (!/^[1-9]\d{0,2}$/.test(text))
    throw new InvalidArgumentError('It must be auto or a number from 1 to 999.');
  return Number(text);
}

async function tell(
  cli: Cli,
  server: Announced,
  config: Config,
  { json }: ServeOptions,
): Promise<void> {
  const { url, metrics, notes, db, embedded } = server;
  const { empty } = await db.one<{ empty: boolean }>(sql`
    select not exists (select from app_user) as empty`);
  const ids = empty && embedded ? await loadDemo(db, config) : undefined;
  const token = embedded ? await ownersLink(db) : undefined;
  // Of a free port, the configuration does not know the number.
  const at = new URL(config.publicUrl).port === '0' ? url : config.publicUrl;
  const link = token === undefined ? undefined : `${at}/links/${token}`;
  if (embedded !== undefined) await leaveAddress(config.dataDir, at);
  const data = dataOf(config, embedded !== undefined);
  const result = {
    url,
    docs: `${at}/docs`,
    data,
    billing: requireBilling(config).mode,
    ...(metrics === undefined ? {} : { metrics }),
    ...(notes.length === 0 ? {} : { notes }),
    ...(link === undefined ? {} : { link }),
    // The key is for whoever asks for the document: a log must not have it.
    ...(ids !== undefined && json ? { key: ids.keys[DEMO.key], ids } : {}),
  };
  const sentence = `Guildhall is running at ${at}`;
  const files = embedded ? await clusterOf(config.dataDir) : undefined;
  const text = [
    ...(link === undefined ? [] : [signInLine(link), '']),
    at === url ? sentence : `${sentence}, and listens at ${url}`,
    ...(metrics === undefined ? [] : [`Metrics: ${metrics}`]),
    `Data: ${data}${files?.startsWith(data) === false ? ` (PostgreSQL files: ${files})` : ''}`,
    `Billing: ${aboutBilling(requireBilling(config))}`,
    ...(config.mail.server === undefined
      ? [`Mail: files in ${join(config.dataDir, 'mail')}, because SMTP_URL is not set`]
      : []),
    ...notes,
    '',
    link !== undefined ? FIRST_STEPS : empty && !embedded ? LOAD_A_WORLD : CREATE_A_KEY,
    'Press Ctrl-C to stop the server.',
  ].join('\n');
  announce(cli, json, { sentence, result, text });
}

/** Undefined when another server that starts at the same time has loaded it. */
async function loadDemo(db: Server['db'], config: Config): Promise<WorldIds | undefined> {
  const { importFirstWorld } = await import('./world/load.ts');
  const world = JSON.parse(await readFile(DEMO_WORLD, 'utf8'));
  return importFirstWorld(db, requireBilling(config).testMoney ? world : withoutMoney(world));
}

/** The demo workshop without its balances and test cards, where balances are real money. */
const withoutMoney = (world: { users: object[]; organizations: object[] }): object => {
  const without = (item: object) => ({ ...item, balance: undefined, cards: undefined });
  const [users, organizations] = [world.users.map(without), world.organizations.map(without)];
  return JSON.parse(JSON.stringify({ ...world, users, organizations }));
};

const aboutBilling = ({ mode, testMoney }: Billing): string =>
  mode === 'stripe' && testMoney
    ? 'stripe, in its test mode: test cards add funds, and their money becomes void with a live key'
    : {
        stripe: 'stripe charges cards',
        credits: 'credits that you grant (`guildhall credits grant --help`); no cards are taken',
        off: 'off: nothing is charged, and costs are only counted',
        sandbox: 'sandbox: test cards add funds, and their money becomes void in every other mode',
      }[mode];

/**
 * The token of a link that signs the owner of the demo workshop in. Undefined where there is no demo,
 * or its owner is deactivated.
 */
const ownersLink = (db: Server['db']): Promise<string | undefined> =>
  db.transaction(async (tx) => {
    const owner = await lockUser(tx, { email: DEMO.owner });
    if (!owner?.is_active) return undefined;
    const { id, token, expiresAt } = await createSignInLink(tx, owner.id);
    const after = { sign_in_link_id: id, expires_at: expiresAt };
    await recordFromCli(tx, { action: 'sign_in_link.create', target: owner.id, after });
    return token;
  });

const FIRST_STEPS = `The same by its API, as lines to paste: npm run guildhall -- first-steps`;

const LOAD_A_WORLD = `The database is empty. To load people, workspaces and projects:
  npm run guildhall -- import demo/world.json`;

const CREATE_A_KEY = `To create an API key: npm run guildhall -- keys create --help`;
