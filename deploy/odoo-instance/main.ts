import { spawn } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { odooArguments } from './arguments.ts';
import { createDatabase, dropDatabase, makeItsOwn } from './database.ts';

/**
 * A program for ERP_INSTANCES=command: runs a local Odoo as a throwaway instance, or removes what it
 * has made. See docs/erp.md.
 */

// biome-ignore lint/style/noProcessEnv: what an instance is told, and where PostgreSQL is.
const env = process.env;
const {
  GUILDHALL_INSTANCE_DATABASE: database = '',
  GUILDHALL_INSTANCE_PORT: port = '',
  GUILDHALL_INSTANCE_FOLDER: folder = '',
  GUILDHALL_INSTANCE_PASSWORD: password = '',
  ODOO = 'odoo',
  ODOO_TEMPLATE: template = '',
  ODOO_TEMPLATE_DATA: templateData,
} = env;
const server = { database: 'postgres' };

async function start(): Promise<void> {
  if (template === '') throw new Error('ODOO_TEMPLATE must name the database to copy.');
  await createDatabase(server, database, template);
  await makeItsOwn({ database }, password);
  // The files of the template, if it has any.
  if (templateData !== undefined)
    await cp(join(templateData, 'filestore', template), join(folder, 'filestore', database), {
      recursive: true,
    });
  // The password is in the database now, and no business of Odoo's modules.
  const { GUILDHALL_INSTANCE_PASSWORD: _, ...rest } = env;
  const odoo = spawn(ODOO, odooArguments({ database, port, folder }), {
    stdio: 'inherit',
    env: rest,
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => odoo.kill(signal));
  process.exitCode = await new Promise<number>((resolve, reject) => {
    odoo.once('error', reject);
    odoo.once('exit', (code) => resolve(code ?? 1));
  });
}

const [what] = process.argv.slice(2);
try {
  if (what === 'start') await start();
  else if (what === 'remove') await dropDatabase(server, database);
  else throw new Error('Say what to do: start or remove.');
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
