import { appendFileSync } from 'node:fs';
import type { Tx } from '../../db/database/database.ts';
import type { Sql } from '../../db/sql.ts';

/** Where a process that takes steps works, and before which of them it kills itself. */
export interface Order {
  folder: string;
  /**
   * The number of the step, from 1, or a part of the name of the first one that is meant. Undefined:
   * it lives, and lists its steps in the file `steps`.
   */
  dieAt?: number | string;
}

/** What is a step of such a process: each call of a method, each statement, each commit. */
export function openSteps({ folder, dieAt }: Order) {
  let steps = 0;
  let changed = true;

  /**
   * `changes`: whether something outlasts this process once the step is done. Dying before a step is
   * as dying before the one before it if that changed nothing; so is dying within a transaction,
   * except that before its commit everything is written and locked.
   */
  function step(name: string, changes: boolean): void {
    steps += 1;
    if (steps === dieAt || (typeof dieAt === 'string' && name.includes(dieAt)))
      process.kill(process.pid, 'SIGKILL');
    const line = { name, same: !changed && name !== 'commit' };
    if (dieAt === undefined) appendFileSync(`${folder}/steps`, `${JSON.stringify(line)}\n`);
    changed = changes;
  }

  /** The same object, each call of whose methods is a step. */
  function stepping<Thing extends object>(of: string, thing: Thing): Thing {
    return new Proxy(thing, {
      get: (target, name: string) => {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          step(`${of}.${name}`, !READING.includes(`${of}.${name}`));
          return value.apply(target, args);
        };
      },
    });
  }

  /** Each statement is a step, and so is the commit of a transaction. */
  function steppingTx<Kind extends Tx>(tx: Kind, within = false): Kind {
    return new Proxy(tx, {
      get: (target, name: string) => {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== 'function') return value;
        if (name === 'transaction')
          return (work: (tx: Tx) => Promise<unknown>, options?: object) =>
            value.call(
              target,
              async (inner: Tx) => {
                const result = await work(steppingTx(inner, true));
                step('commit', true);
                return result;
              },
              options,
            );
        if (!['many', 'one', 'maybeOne', 'read', 'write'].includes(name)) return value;
        return (query: Sql) => {
          step(nameOf(query), !within && /\b(insert|update|delete)\b/.test(query.strings.join('')));
          return value.call(target, query);
        };
      },
    });
  }

  return { step, stepping, steppingTx };
}

/** Methods that change nothing which outlasts the process. */
const READING = ['events.head', 'events.read', 'pods.find', 'pods.list', 'agent.close'];

const nameOf = (query: Sql) => query.strings.join('?').replaceAll(/\s+/g, ' ').trim();
