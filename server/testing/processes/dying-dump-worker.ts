import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { pino } from 'pino';
import { type Database, openDatabase } from '../../db/database/database.ts';
import type { Sql } from '../../db/sql.ts';
import { commandDriver } from '../../erp/instances/command-driver.ts';
import type { ErpProgram } from '../../platform/catalog/erp-programs.ts';
import { diskStore } from '../../platform/files/disk-store.ts';
import { dumpPreparer } from '../../runner/worker/instances/prepare-dumps.ts';

/**
 * A worker that prepares dumps, and kills itself with SIGKILL just before what its order names: a method
 * of the driver, or a statement that has this text in it. It waits for a line on its standard input.
 */
interface DumpOrder {
  directory: string;
  files: string;
  program: ErpProgram;
  dieBefore?: string;
}

const { DATABASE_URL: url = '' } = process.env;
process.stdout.write('loaded\n');
const [line] = (await once(process.stdin, 'data')) as [Buffer];
const { directory, files, program, dieBefore } = JSON.parse(String(line)) as DumpOrder;
// It ends with the test, however that ends.
process.stdin.on('close', () => process.exit());

const textOf = (query: unknown) => ((query as Sql).strings ?? []).join('?').replaceAll(/\s+/g, ' ');

function dying<Thing extends object>(thing: Thing) {
  return new Proxy(thing, {
    get: (target, name: string) => {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const isDue = name === dieBefore || (dieBefore && textOf(args[0]).includes(dieBefore));
        if (isDue) process.kill(process.pid, 'SIGKILL');
        return value.apply(target, args);
      };
    },
  });
}

const db: Database = dying(openDatabase({ url }));
dumpPreparer(db, {
  driver: dying(commandDriver({ directory, programs: [program] })),
  files: diskStore(files),
  owner: `dying-${randomUUID()}`,
  log: pino({ level: 'silent' }),
  times: { poll: 50, beat: 300, lease: 2_000 },
}).start();
setInterval(() => {}, 3_600_000);
