import { parseArgs } from 'node:util';
import { numberOf, orUsage, UsageError } from '../../processes/arguments.ts';
import { cannotListen } from '../listener.ts';
import { LOCALHOST } from '../mail-server/certificates.ts';
import { startFakeOdoo } from './server.ts';

// By hand: `npm run fake-odoo -- --port 12113 --version 18.0`.
const HELP = `Usage: npm run fake-odoo -- [options]

Starts a fake Odoo server on 127.0.0.1, with a few records, and prints its users.

Options:
  --port <number>      port to listen on; 0 picks a free one (default 12113)
  --version <version>  16.0, 17.0, 18.0 or 19.0 (default 19.0)
  --enterprise         the edition is enterprise
  --databases <names>  names with commas between them (default main)
  --no-list            databases cannot be listed
  --tls                https, with a certificate that it signed itself
  --help               this text
`;

const VERSIONS = ['16.0', '17.0', '18.0', '19.0'] as const;

const { port, ...options } = orUsage(HELP, () => {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '12113' },
      version: { type: 'string', default: '19.0' },
      enterprise: { type: 'boolean', default: false },
      databases: { type: 'string', default: 'main' },
      'no-list': { type: 'boolean', default: false },
      tls: { type: 'boolean', default: false },
    },
  });
  const version = VERSIONS.find((each) => each === values.version);
  if (version === undefined)
    throw new UsageError(`--version must be one of ${VERSIONS.join(', ')}`);
  if (!/^\w[\w-]*(,\w[\w-]*)*$/.test(values.databases))
    throw new UsageError('--databases must be names such as main,test');
  return {
    port: numberOf('--port', values.port, { from: 0, to: 65535 }),
    version,
    edition: values.enterprise ? ('enterprise' as const) : ('community' as const),
    databases: values.databases.split(','),
    listDatabases: !values['no-list'],
    ...(values.tls && { tls: LOCALHOST }),
  };
});

const fake = await startFakeOdoo({ port, ...options }).catch(cannotListen(port));
const { url, database } = fake;
const users = database.users.map(({ id, login, password, role, active, twoFactors }) => {
  const notes = [role, ...(active ? [] : ['archived']), ...(twoFactors ? ['two factors'] : [])];
  return `  ${login.padEnd(8)}password ${password}  (${notes.join(', ')}, id ${id})`;
});
const keys = database.keys.map(({ name, key }) => `  ${name.padEnd(18)}${key}`);
process.stdout.write(`The fake Odoo ${options.version} is running at ${url}. It forgets everything when it ends.

Users of the database ${database.name}:
${users.join('\n')}
API keys:
${keys.join('\n')}

A server of Guildhall that may reach it needs ERP_ALLOWED_NETWORKS=127.0.0.1 ERP_ALLOW_HTTP=true.
To break something, or to see what was requested:
  curl ${url}/_control/behave -d '{"postgresDown":true}'
  curl ${url}/_control/behave -d '{"slow":2000,"rateLimited":30}'
  curl ${url}/_control/requests
`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void fake.close());
