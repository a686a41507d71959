import { open, rename, rm } from 'node:fs/promises';
import type { Command } from 'commander';
import type { Database } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';
import { parseUuid } from '../server/http/input/uuid.ts';
import { worldFile } from '../server/organizations/workspaces/world-file.ts';
import { type Cli, withDatabase, withJson } from './command.ts';
import { Failure } from './failure.ts';
import { recordFromCli } from './record.ts';

const MIB = 1024 * 1024;
const TOLD_EVERY_BYTES = 16 * MIB;

/** `guildhall export WORKSPACE`: writes a world file, which `guildhall import` reads. */
export function addExport(program: Command, cli: Cli): void {
  withJson(program.command('export'))
    .description('write a workspace as a world file, without keys, cards and balances')
    .argument('<workspace>', 'the id of the workspace')
    .option('--output <file>', 'the file to write; standard output by default')
    .action(async (workspace: string, { output, json }: { output?: string; json?: boolean }) => {
      const read = parseUuid(workspace);
      if (!read.ok) throw new Failure(`${workspace} is not the id of a workspace: ids are UUIDs.`);
      const id = read.uuid;
      await withDatabase(cli.readConfig(), async (db) => {
        await recordExport(db, id);
        const chunks = db.snapshot((tx) => worldFile(tx, id));
        if (output === undefined) await write(chunks, (text) => written(cli.stdout, text), cli);
        else {
          const bytes = await writeFile(chunks, output, cli);
          cli.print(json, { file: output, bytes }, `${output} has ${bytes} bytes.`);
        }
      });
    });
}

const recordExport = (db: Database, id: string) =>
  db.transaction(async (tx) => {
    const found = await tx.maybeOne(sql`select id from organization where id = ${id}`);
    if (found === undefined) throw new Failure(`There is no workspace ${id}.`);
    const after = { version: 1 };
    await recordFromCli(tx, { action: 'workspace.export', target: id, organizationId: id, after });
  });

// Under another name until it is complete, so that no one mistakes a part for the whole.
async function writeFile(chunks: AsyncIterable<string>, output: string, cli: Cli): Promise<number> {
  const part = `${output}.part`;
  const file = await open(part, 'w', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${part} cannot be written (${error.code}): choose another --output.`);
  });
  try {
    const append = async (text: string) => void (await file.write(text));
    const bytes = await write(chunks, append, cli);
    await file.sync();
    await file.close();
    await rename(part, output);
    return bytes;
  } catch (error) {
    await file.close().catch(() => {});
    await rm(part, { force: true });
    throw error;
  }
}

/** Writes all chunks, and tells on standard error how far a large export is. Returns the bytes. */
async function write(
  chunks: AsyncIterable<string>,
  put: (text: string) => Promise<void>,
  { stderr }: Cli,
): Promise<number> {
  let bytes = 0;
  let told = 0;
  for await (const text of chunks) {
    await put(text);
    bytes += Buffer.byteLength(text);
    if (bytes - told < TOLD_EVERY_BYTES) continue;
    told = bytes;
    stderr.write(`${Math.floor(bytes / MIB)} MiB written\n`);
  }
  return bytes;
}

const written = (stdout: Cli['stdout'], text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
