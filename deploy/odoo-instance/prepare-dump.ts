import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type pg from 'pg';
import { type DumpFile, openDump, SQL } from '../../server/erp/dumps/open-dump.ts';
import type { DumpOrder } from '../../server/erp/instances/instance-order.ts';
import { restoringArguments } from './arguments.ts';
import { boundedGrowth, TooLarge } from './bounded-growth.ts';
import * as databases from './database.ts';
import { neutralize } from './neutralize.ts';
import { inFolder, type Place } from './place.ts';
import { modulesIn } from './settle.ts';
import { blamingTheDump, Unusable } from './unusable.ts';

/**
 * Makes a database of a dump. What a dump says is not trusted: psql reads it in the sandbox, as a role
 * that reaches this database alone, and what its attachments are is stored by that role. The database
 * has its name only once it was checked.
 */
export async function prepareDump(
  place: Place,
  { id, database, file }: DumpOrder & { file: string },
): Promise<void> {
  const { server } = place;
  const temporary = `${database}_new`;
  const role = database;
  const asRole = async (): Promise<pg.ClientConfig> => ({
    database: temporary,
    user: role,
    password: await databases.connected(server, (client) =>
      databases.roleWithPassword(client, role),
    ),
  });
  await asRole();
  await databases.copyDatabase(server, { from: 'template0', to: temporary, role });
  const bound = { database: temporary, role, most: await mostOf(file) };
  try {
    await boundedGrowth(server, bound, async () => {
      await restore(place, { file, database: temporary, role });
      // A dump may have begun what would change the database again once it was checked.
      await databases.connected(server, (client) => databases.endSessions(client, role));
      await blamingTheDump(storeAttachments(await asRole(), file));
      await neutralize(place, { database: temporary, role });
    }).catch((error) => {
      if (!(error instanceof TooLarge)) throw error;
      throw new Unusable(`${error.message} That is more than the zip of the dump explains.`);
    });
    const modules = await modulesIn(await asRole());
    await databases.connected(server, async (client) => {
      await databases.keepAsTemplate(client, temporary, role);
      await databases.note(client, temporary, { role, modules, data: 'dump', dump: id });
      await databases.renameDatabase(client, temporary, database);
    });
  } catch (error) {
    await databases.connected(server, (client) => databases.drop(client, temporary));
    throw error;
  }
}

const GIB = 1024 ** 3;

/** What bounds it was checked for as it was uploaded. */
const open = async (file: string) =>
  openDump((start, end) => createReadStream(file, { start, end }), {
    size: (await stat(file)).size,
    mostUnpacked: Number.MAX_SAFE_INTEGER,
  });

/** Bytes that its database may have: indexes and pages take more than the text of a dump. */
async function mostOf(file: string): Promise<number> {
  const dump = await open(file);
  try {
    let unpacked = 0;
    for await (const { size } of dump.files()) unpacked += size;
    return GIB + 8 * unpacked;
  } finally {
    dump.close();
  }
}

async function restore(
  place: Place,
  { file, database, role }: { file: string; database: string; role: string },
): Promise<void> {
  const dump = await open(file);
  try {
    for await (const each of dump.files()) {
      if (each.name !== SQL) continue;
      const bytes = await each.open();
      // A dump that ends early, or in the middle of something, does not come to it.
      const end = randomUUID();
      async function* script() {
        yield* bytes;
        yield `\n\\echo ${end}\n`;
      }
      const errors = errorsIn();
      const { code } = await inFolder(place, role, {
        program: place.psql,
        args: restoringArguments(database),
        code: '',
        input: Readable.from(script()),
        onOutput: errors.add,
      });
      const { first, lines } = errors.found(end);
      if (first !== undefined)
        throw new Unusable(`dump.sql could not be restored. PostgreSQL said: ${first}`);
      if (code !== 0 || !lines)
        throw new Unusable('dump.sql could not be restored: it ends before its end.');
      return;
    }
  } finally {
    dump.close();
  }
}

/**
 * What a dump may say that PostgreSQL refuses without a loss: settings that this release does not know,
 * comments on what is not its own, what is there already.
 */
const HARMLESS = new Set(['42704', '42501', '42710', '42P06']);
const ERROR = /^psql:\S*?:\d+: +\S+: +([0-9A-Z]{5}): (.*)$/;
/** Of psql itself: commands of newer releases, which only keep others out. */
const OF_PSQL = /^psql:\S*?:\d+: error: (?!invalid command \\(?:un)?restrict)(.*)$/;
const LONGEST = 10_000;

/** Reads what psql says, line by line: what is longer is cut. */
function errorsIn() {
  let line = '';
  let first: string | undefined;
  const said: string[] = [];
  const end = () => {
    const [, code = '', text] = ERROR.exec(line) ?? [];
    const [, own] = OF_PSQL.exec(line) ?? [];
    const isError = code !== '' && !/^0[012]/.test(code) && !HARMLESS.has(code);
    if (isError || own !== undefined) first ??= (text ?? own ?? '').slice(0, 300);
    // The end is said last.
    said.splice(0, Math.max(0, said.length - 50));
    said.push(line.slice(0, 100));
    line = '';
  };
  return {
    add(text: string): void {
      const [head = '', ...rest] = text.split('\n');
      line = (line + head).slice(0, LONGEST);
      for (const next of rest) {
        end();
        line = next.slice(0, LONGEST);
      }
    },
    found: (last: string) => ({ first, lines: said.includes(last) }),
  };
}

const wholeOf = async (file: DumpFile): Promise<Buffer> => {
  try {
    return await buffer(await file.open());
  } catch (error) {
    throw new Unusable(`The file ${file.name} of the zip is damaged.`, { cause: error });
  }
};

const STORED = /^filestore\/([0-9a-f]{2}\/[0-9a-f]{40,64})$/;
const MOST_OF_ATTACHMENT = 256 * 1024 * 1024;

/**
 * The files of attachments become part of the database, which is then copied as a whole. None of them is
 * unpacked to a disk.
 */
async function storeAttachments(config: pg.ClientConfig, file: string): Promise<void> {
  const dump = await open(file);
  try {
    await databases.connected({ ...config, statement_timeout: 600_000 }, async (client) => {
      await client.query('set search_path = pg_catalog, pg_temp');
      const there = await client.query(
        "select from pg_class where oid = to_regclass('public.ir_attachment') and relkind = 'r'",
      );
      if (there.rowCount === 0)
        throw new Unusable('It is no database of Odoo: the table ir_attachment is missing.');
      for await (const each of dump.files()) {
        const [, name] = STORED.exec(each.name) ?? [];
        if (name === undefined) continue;
        const used = await client.query(
          'select from public.ir_attachment where store_fname = $1 limit 1',
          [name],
        );
        if (used.rowCount === 0) continue;
        if (each.size > MOST_OF_ATTACHMENT)
          throw new Unusable(`The file ${each.name} is larger than 256 MiB.`);
        const bytes = await wholeOf(each);
        await client.query(
          `update public.ir_attachment set db_datas = $2, store_fname = null where store_fname = $1`,
          [name, bytes],
        );
      }
      await client.query(`
        insert into public.ir_config_parameter (key, value)
        values ('ir_attachment.location', 'db')
        on conflict (key) do update set value = excluded.value`);
    });
  } finally {
    dump.close();
  }
}
