import pg from 'pg';
import { migrate } from '../server/db/migrate.ts';
import { cpuOfPostgres } from './processes.ts';

/** Does its work with a new, migrated database of this name, which is dropped afterwards. */
export async function onScratchDatabase(
  adminUrl: string,
  name: string,
  work: (url: string, postgresCpu: () => number) => Promise<void>,
): Promise<void> {
  const admin = new pg.Client(adminUrl);
  await admin.connect();
  const drop = () => admin.query(`drop database if exists ${name} with (force)`);
  await drop();
  await admin.query(`create database ${name}`);
  const { pid } = (await admin.query('select pg_backend_pid() as pid')).rows[0];
  const url = Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href;
  try {
    await migrate(url);
    await work(url, cpuOfPostgres(pid));
  } finally {
    await drop();
    await admin.end();
  }
}
