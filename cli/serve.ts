import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { type Config, checkKeys } from '../api/config.ts';
import { clusterOf } from '../api/db/embedded/embedded.ts';
import { sql } from '../api/db/sql.ts';
import type { Server } from '../api/process/start.ts';
import { dataOf, print, type ReadConfig, withJson } from './command.ts';
import type { WorldIds } from './world/rows.ts';

const DEMO_WORLD = join(import.meta.dirname, '../demo/world.json');

/** What the first steps show, by handle in the demo world; the key shown is that of `owner`. */
const DEMO = {
  owner: 'ada@example.com',
  key: 'ada-laptop',
  organization: 'acme',
  project: 'shop',
  task: 'approvals',
};

/**
 * `guildhall serve`: serves the API; a first start with the embedded database loads the demo world.
 */
export function addServe(program: Command, readConfig: ReadConfig): void {
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
    .action(async ({ json, workers: count, work }: ServeOptions) => {
      const config = readConfig();
      if (work) checkKeys(config);
      // Loaded when needed, so that the other commands start at once.
      const { serve, serveWorkers } = await import('../api/process/main.ts');
      const tell = (server: Announced) => announce(server, config, json);
      await (count === undefined
        ? serve(config, tell, { work })
        : serveWorkers(config, tell, { count, work }));
    });
}

interface ServeOptions {
  json?: boolean;
  workers?: number;
  work: boolean;
}

type Announced = Pick<Server, 'url' | 'metrics' | 'db' | 'embedded'>;

function readWorkers(text: string): number {
  if (text === 'auto') return availableParallelism();
  if (!/^[1-9]\d{0,2}$/.test(text))
    throw new InvalidArgumentError('It must be auto or a number from 1 to 999.');
  return Number(text);
}

async function announce(
  server: Announced,
  config: Config,
  json: boolean | undefined,
): Promise<void> {
  const { url, metrics, db, embedded } = server;
  const { empty } = await db.one<{ empty: boolean }>(sql`
    select not exists (select from app_user) as empty`);
  const data = dataOf(config, embedded !== undefined);
  const common = { url, docs: `${url}/docs`, data, ...(metrics === undefined ? {} : { metrics }) };
  const files = embedded ? await clusterOf(config.dataDir) : undefined;
  const elsewhere = files?.startsWith(data) === false ? ` (PostgreSQL files: ${files})` : '';
  const start = [
    `Guildhall is running at ${url}`,
    `API reference: ${url}/docs`,
    ...(metrics === undefined ? [] : [`Metrics: ${metrics}`]),
    `Data: ${data}${elsewhere}`,
    ...(config.mail.server === undefined
      ? [`Mail: files in ${join(config.dataDir, 'mail')}, because SMTP_URL is not set`]
      : []),
  ].join('\n');
  const ids = empty && embedded ? await loadDemo(db) : undefined;
  if (ids !== undefined) {
    const key = ids.keys[DEMO.key] as string;
    print(json, { ...common, key, ids }, `${start}\n\n${firstSteps(url, key, ids)}`);
  } else
    print(
      json,
      common,
      `${start}\n\n${empty && !embedded ? LOAD_A_WORLD : `To create an API key:\n${createKey(DEMO.owner)}`}`,
    );
}

/** Undefined when another server that starts at the same time has loaded it. */
async function loadDemo(db: Server['db']): Promise<WorldIds | undefined> {
  const { importFirstWorld } = await import('./world/load.ts');
  return importFirstWorld(db, JSON.parse(await readFile(DEMO_WORLD, 'utf8')));
}

function firstSteps(url: string, key: string, ids: WorldIds): string {
  const curl = (path: string, options = '') =>
    `  curl ${options}-H 'Authorization: Bearer ${key}' ${url}/api/${path}`;
  return `This is the first start, so the demo workshop (demo/world.json) was loaded.
API key of its owner, ${DEMO.owner}, shown only this once:

  ${key}

To try it, paste one of these into another terminal:

  # who can open the project "Web shop"
${curl(`projects/${ids.projects[DEMO.project]}/people`)}

  # pending invitations to the workspace "Acme"
${curl(`organizations/${ids.organizations[DEMO.organization]}/invitations`)}

  # approve the plan of the task "Sale order approval"
${curl(`tasks/${ids.tasks[DEMO.task]}/plan/approve`, '-X POST ')}

To act as another person, create a key for them:
${createKey('bob@example.com')}`;
}

const createKey = (
  email: string,
) => `  npm run guildhall -- keys create --email ${email} --name laptop

Press Ctrl-C to stop the server.`;

const LOAD_A_WORLD = `The database is empty. To load people, workspaces and projects:
  npm run guildhall -- import demo/world.json

Press Ctrl-C to stop the server.`;
