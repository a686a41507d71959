import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { CodeOrder } from '../../server/erp/instances/instance-order.ts';
import { neutralizingArguments } from './arguments.ts';
import * as databases from './database.ts';
import { Broken, inFolder, type Place } from './place.ts';
import { settle } from './settle.ts';
import { Unusable } from './unusable.ts';

/** Odoo's own `neutralize`, and then what makes sure of it. */
export async function neutralize(
  place: Place,
  {
    database,
    role,
    code,
  }: { database: string; role: string; code?: Pick<CodeOrder, 'folder' | 'addons'> | undefined },
): Promise<void> {
  const args = neutralizingArguments({ database, addons: code?.addons ?? [], own: place.own });
  const { code: ended, said } = await inFolder(place, role, { args, code: code?.folder ?? '' });
  if (ended !== 0) {
    process.stderr.write(`${new Broken(said).message}\n`);
    throw new Unusable(
      `Odoo could not neutralise the database. It said last: ${said.split('\n').at(-1)?.slice(-300)}`,
    );
  }
  const password = await databases.connected(place.server, (client) =>
    databases.roleWithPassword(client, role),
  );
  await settle({ database, user: role, password }, place.version);
}

/**
 * Neutralises a copy of a dump once more, where modules of the branch that it has installed say
 * themselves what that means for them.
 */
export async function neutralizeOwn(
  place: Place,
  {
    database,
    role,
    code,
    had,
  }: {
    database: string;
    role: string;
    code: CodeOrder | undefined;
    had: databases.Installed;
  },
): Promise<void> {
  if (had.dump === undefined || code === undefined) return;
  const files = code.addons.flatMap((addons) =>
    Object.keys(had.modules).map((name) =>
      join(code.folder, addons, name, 'data', 'neutralize.sql'),
    ),
  );
  for (const file of files) {
    const there = await access(file).then(
      () => true,
      () => false,
    );
    if (there) return neutralize(place, { database, role, code });
  }
}
