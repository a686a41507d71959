import type { Database } from '../db/database/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import { type Loop, type LoopOptions, openLoop } from './loop.ts';

/**
 * Asks what many loops of a process have to do, in one statement for all of them: an idle
 * server asks four times a second, not thirty times. There is one for each database that is open.
 */
interface DuePoll {
  join(member: Member): void;
  leave(member: Member): void;
  wake(): void;
}

interface Member {
  every: number;
  /** An expression that is true if there may be something to do: cheap, and never false too early. */
  due: Sql;
  /** Whether the process has something to look after, whatever the database says. */
  holds: () => boolean;
  loop: Loop;
}

/** At most so often it is asked because of what requests may have left to do. */
const WAKE_EVERY_MS = 50;

const polls = new WeakMap<object, DuePoll>();

function pollOf(db: Pick<Database, 'read'>, log: LoopOptions['log']): DuePoll {
  const known = polls.get(db);
  if (known !== undefined) return known;
  let members: Member[] = [];
  let polling: Loop | undefined;
  let waking: NodeJS.Timeout | undefined;
  let wokenAt = Number.NEGATIVE_INFINITY;

  async function ask(): Promise<void> {
    const asked = members;
    for (const { holds, loop } of asked) if (holds()) loop.run();
    const conditions = asked
      .map(({ due }, index) => sql`case when ${due} then ${index}::int end`)
      .reduce((all, next) => sql`${all}, ${next}`);
    const [found] = await db.read<{ due: number[] }>(
      sql`select array_remove(array[${conditions}], null) as due`,
    );
    for (const index of found?.due ?? []) {
      const member = asked[index];
      if (member !== undefined && members.includes(member)) member.loop.run();
    }
  }

  /** Twice as often as the most eager of them wants, since asking and doing are two steps. */
  function begin(): void {
    void polling?.stop();
    polling = undefined;
    if (members.length === 0) return;
    const every = Math.ceil(Math.min(...members.map((member) => member.every)) / 2);
    polling = openLoop(ask, { every, what: 'polling for work', log });
    polling.start();
  }

  const poll: DuePoll = {
    join(member) {
      members = [...members, member];
      begin();
    },
    leave(member) {
      if (!members.includes(member)) return;
      members = members.filter((each) => each !== member);
      begin();
    },
    wake() {
      if (waking !== undefined) return;
      const wait = Math.max(0, wokenAt + WAKE_EVERY_MS - performance.now());
      waking = setTimeout(() => {
        waking = undefined;
        wokenAt = performance.now();
        polling?.wake();
      }, wait).unref();
    },
  };
  polls.set(db, poll);
  return poll;
}

/** Asks at once what the loops of this process have to do, for something may have become due. */
export const wakeLoops = (db: object): void => polls.get(db)?.wake();

/**
 * A loop that is run only when something is due, which is asked for together with what others wait
 * for; `every` is how often, at least. While `holds` is true, it runs in any case: of a row that was
 * deleted, the database says nothing.
 */
export function openLoopWhenDue(
  work: () => Promise<unknown>,
  {
    db,
    due,
    holds = () => false,
    ...options
  }: LoopOptions & { db: Pick<Database, 'read'>; due: Sql; holds?: () => boolean },
): Loop {
  const loop = openLoop(work, options);
  const poll = pollOf(db, options.log);
  const member = { every: options.every, due, holds, loop };
  let started = false;
  return {
    ...loop,
    start() {
      if (started) return;
      started = true;
      poll.join(member);
    },
    stop() {
      poll.leave(member);
      return loop.stop();
    },
  };
}
