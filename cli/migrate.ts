import type { Command } from 'commander';
import { connectSingle } from '../server/db/database/single-connection.ts';
import { migrate, pending } from '../server/db/migrate.ts';
import { openEmbedded } from '../server/main/open-database.ts';
import type { Config } from '../server/platform/config/config.ts';
import { type Cli, withJson } from './command.ts';

/** `guildhall migrate`: brings the database to this version, or lists what it lacks. */
export function addMigrate(program: Command, cli: Cli): void {
  withJson(program.command('migrate'))
    .description('apply the migrations that the database lacks')
    .option('--status', 'only list those migrations')
    .action(async ({ json, status }: { json?: boolean; status?: boolean }) => {
      const config = cli.readConfig();
      const { connectTimeout } = config.database;
      const work = status ? showStatus : apply;
      await withServer(config, (url) => work(url, { cli, json, connectTimeout }));
    });
}

interface WorkOptions {
  cli: Cli;
  json: boolean | undefined;
  connectTimeout: number;
}

async function apply(url: string, { cli, json, connectTimeout }: WorkOptions): Promise<void> {
  const log = (line: string) => cli.stderr.write(`${line}\n`);
  const { applied, current } = await migrate(url, { log, connectTimeout });
  const text = applied.map((name) => `Applied ${name}.`).join('\n');
  cli.print(json, { applied, current }, text || `Nothing to do: the database is at ${current}.`);
}

async function showStatus(url: string, { cli, json, connectTimeout }: WorkOptions): Promise<void> {
  const client = await connectSingle(url, { connectTimeout });
  try {
    const missing = await pending(client);
    const text = missing.map((name) => `Missing: ${name}`).join('\n');
    const how = 'Apply them with: npm run guildhall -- migrate';
    cli.print(json, { pending: missing }, text ? `${text}\n${how}` : 'The database is up to date.');
  } finally {
    await client.end();
  }
}

async function withServer(config: Config, work: (url: string) => Promise<void>): Promise<void> {
  if (config.databaseUrl !== undefined) return work(config.databaseUrl);
  const server = await openEmbedded(config.dataDir, { embedded: 'beside' });
  try {
    await work(server.url);
  } finally {
    await server.stop();
  }
}
