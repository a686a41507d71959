import { join } from 'node:path';
import type pg from 'pg';
import { removeTree } from '../../server/platform/pods/tree/remove-tree.ts';
import { ownFolder, type Run } from './confined.ts';
import * as databases from './database.ts';

/** Where databases are changed: by Odoo and by psql, in the sandbox. */

export interface Place {
  /** How to connect to PostgreSQL as the role of the operator. */
  server: pg.ClientConfig;
  /** The program that restores dumps, as it is found in the sandbox. */
  psql: string;
  id: string;
  version: string;
  edition: string;
  /** For the files of Odoo while it changes a database; nothing in it is kept. */
  folder: string;
  /** Folders of the operator's with modules. */
  own: readonly string[];
  run(
    run: Omit<Run, 'onOutput'> & Partial<Pick<Run, 'onOutput'>>,
  ): Promise<{ code: number; said: string }>;
}

/** What Odoo has said about modules that it could not install, update or test. */
export class Broken extends Error {
  readonly said: string;

  constructor(said: string) {
    super('Odoo could not install or update the modules.');
    this.said = said;
  }
}

/** Runs it with a folder of its own, of which nothing is kept, as a role with a new password. */
export async function inFolder(
  place: Place,
  role: string,
  run: Pick<Run, 'args' | 'code' | 'input' | 'program'> & Partial<Pick<Run, 'onOutput'>>,
): Promise<{ code: number; said: string }> {
  const home = await ownFolder(join(place.folder, 'home'), place.id);
  const empty = await ownFolder(join(place.folder, 'empty'), place.id);
  try {
    const password = await databases.connected(place.server, (client) =>
      databases.roleWithPassword(client, role),
    );
    return await place.run({ ...run, home, role, password, code: run.code || empty });
  } finally {
    // Modules have filled it: with folders deeper than a path is long, too.
    await removeTree(home);
  }
}
