import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import type { OsUser } from './os-user.ts';
import { isAlive, type ProcessIdentity } from './process-identity.ts';
import type { Programs } from './programs.ts';

/** One cluster of PostgreSQL, and the process that runs it. */

export type Cluster = {
  path: string;
  password: string;
  dataDir: string;
  programs: Programs;
  user: OsUser | undefined;
};

export const USER = 'guildhall';

/** The main process of a cluster that runs, and its port. */
export type Running = { port: number; postmaster: ProcessIdentity };

/** The address of a database of the cluster, for its owner. */
export const url = (password: string, port: number, database: string) =>
  `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`;

/** Where its PostgreSQL writes its log. */
export const logOf = ({ dataDir }: Pick<Cluster, 'dataDir'>) => join(dataDir, 'postgres.log');

export async function readPidFile(path: string): Promise<{ pid?: number; port?: number }> {
  const text = await fs.readFile(join(path, 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid, , , port] = text.split('\n').map(Number);
  return { ...(pid ? { pid } : {}), ...(port ? { port } : {}) };
}

export async function isPostmaster(pid: number, path: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  const directory = await fs.readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return directory === path;
}
