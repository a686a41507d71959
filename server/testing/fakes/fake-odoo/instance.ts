import { startFakeOdoo } from './server.ts';

/**
 * A program for the driver of commands: the fake Odoo as a throwaway instance. What it
 * knows of itself is in its environment, as for every such program (docs/erp.md). It forgets
 * everything when it ends.
 */

const {
  GUILDHALL_INSTANCE_PORT: port = '',
  GUILDHALL_INSTANCE_DATABASE: name = '',
  GUILDHALL_INSTANCE_VERSION: version = '',
  GUILDHALL_INSTANCE_EDITION: edition = '',
  GUILDHALL_INSTANCE_PASSWORD: password = '',
} = process.env;

const VERSIONS = ['16.0', '17.0', '18.0', '19.0'] as const;
const known = VERSIONS.find((each) => each === version);
if (known === undefined) throw new Error(`The fake has no version ${version}`);

const fake = await startFakeOdoo({
  port: Number(port),
  databases: [name],
  version: known,
  listDatabases: false,
  watched: false,
  edition: edition === 'enterprise' ? 'enterprise' : 'community',
});
const admin = fake.database.users.find(({ login }) => login === 'admin');
if (admin !== undefined) admin.password = password;
process.stdout.write(`The fake Odoo ${version} is running at ${fake.url}.\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void fake.close());
