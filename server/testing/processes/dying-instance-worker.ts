import { once } from 'node:events';
import { type Database, openDatabase } from '../../db/database/database.ts';
import type { Sql } from '../../db/sql.ts';
import { commandDriver } from '../../erp/instances/command-driver.ts';
import { fakePrograms } from '../../platform/catalog/fake-odoo.ts';
import { makeKeeper, SHORT_LEASE } from '../fixtures/erp/instance-keepers.ts';

/**
 * A worker that keeps ERP instances, and kills itself with SIGKILL just before what its order
 * names: a method of the driver, or a statement that has this text in it. It waits for a line on
 * its standard input.
 */
interface InstanceOrder {
  directory: string;
  dieBefore?: string;
}

const { DATABASE_URL: url = '' } = process.env;
process.stdout.write('loaded\n');
const [line] = (await once(process.stdin, 'data')) as [Buffer];
const { directory, dieBefore } = JSON.parse(String(line)) as InstanceOrder;
// It ends with the test, however that ends.
process.stdin.on('close', () => process.exit());

const die = () => process.kill(process.pid, 'SIGKILL');

function dying<Thing extends object>(
  thing: Thing,
  isDue: (name: string, first: unknown) => boolean,
) {
  return new Proxy(thing, {
    get: (target, name: string) => {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (isDue(name, args[0])) die();
        return value.apply(target, args);
      };
    },
  });
}

const textOf = (query: unknown) => ((query as Sql).strings ?? []).join('?').replaceAll(/\s+/g, ' ');
const db: Database = dying(
  openDatabase({ url }),
  (_, query) => dieBefore !== undefined && textOf(query).includes(dieBefore),
);
const driver = dying(
  commandDriver({ directory, programs: fakePrograms }),
  (name) => name === dieBefore,
);
makeKeeper(db, driver, { times: SHORT_LEASE }).start();
setInterval(() => {}, 3_600_000);
