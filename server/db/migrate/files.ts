import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The first line of a migration whose statements PostgreSQL refuses inside a transaction. */
const OUTSIDE_TRANSACTION = '-- run outside a transaction';

/** `migrations/NNNN-what-it-does.sql`, applied once. */
export interface Migration {
  name: string;
  text: string;
  sha256: string;
  outsideTransaction: boolean;
}

/** `views/name.sql`: the current text of the view or function of that name. */
export interface View {
  /** `views/name.sql` */
  name: string;
  object: string;
  kind: 'function' | 'view';
  text: string;
  sha256: string;
}

/** The names of all migrations below `directory`, in their order. */
export const listMigrations = (directory: string): Promise<string[]> =>
  list(join(directory, 'migrations'), /^\d{4}-.+\.sql$/);

/**
 * All migrations, in their order. Throws when two have one number, or when a text does not fit the
 * way it is run.
 */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const migrations: Migration[] = [];
  for (const name of await listMigrations(directory)) {
    const text = await read(join(directory, 'migrations', name));
    const own = /^\s*(begin|commit|end|rollback|start transaction)\s*;/im.exec(text);
    if (own)
      throw new Error(
        `${name} contains "${own[0].trim()}": a migration neither begins nor ends a transaction.`,
      );
    const last = migrations.at(-1)?.name;
    if (last?.slice(0, 4) === name.slice(0, 4))
      throw new Error(`${last} and ${name} have the same number.`);
    const outsideTransaction = text.startsWith(OUTSIDE_TRANSACTION);
    migrations.push({ name, text, sha256: hash(text), outsideTransaction });
  }
  return migrations;
}

/** All views and functions: functions first, because views call them, and each kind by name. */
export async function readViews(directory: string): Promise<View[]> {
  const views: View[] = [];
  for (const file of await list(join(directory, 'views'), /^\w+\.sql$/)) {
    const name = `views/${file}`;
    const text = await read(join(directory, name));
    const object = file.slice(0, -'.sql'.length);
    const made = /^ *create or replace (function|view) (\w+)/m.exec(text);
    if (made?.[2] !== object)
      throw new Error(`${name} must contain "create or replace" for a function or view ${object}.`);
    const kind = made[1] as View['kind'];
    views.push({ name, object, kind, text, sha256: hash(text) });
  }
  return views.sort((a, b) => (a.kind === b.kind ? 0 : a.kind === 'function' ? -1 : 1));
}

async function list(folder: string, pattern: RegExp): Promise<string[]> {
  const names = await readdir(folder).catch((error) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => pattern.test(name)).sort();
}

// Git may write the line ends of Windows; the text is the same.
const read = async (file: string) => (await readFile(file, 'utf8')).replaceAll('\r\n', '\n');

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
