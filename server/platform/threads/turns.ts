/** Work that is done one after another, for parties that take turns. */
interface Turns {
  /**
   * Does `work` when its turn comes: next is what has waited longest since it came, or since one of
   * its parties had a turn. So it waits for what has begun, and for one piece of work of each other
   * party, however much any of them has asked for before.
   */
  take<Result>(parties: readonly string[], work: () => Promise<Result>): Promise<Result>;
}

interface Waiting {
  parties: readonly string[];
  /** The turn after which it waits. */
  since: number;
  begin(): Promise<void>;
}

/** The caller bounds how much waits: each turn looks at all of it. */
export function createTurns(): Turns {
  const waiting: Waiting[] = [];
  let turn = 0;
  let running: Waiting | undefined;

  const sharesTurn = (parties: readonly string[]): boolean =>
    parties.some((party) => running?.parties.includes(party));

  async function run(): Promise<void> {
    for (;;) {
      const [first] = waiting;
      if (first === undefined) break;
      running = waiting.reduce((next, one) => (one.since < next.since ? one : next), first);
      waiting.splice(waiting.indexOf(running), 1);
      turn++;
      for (const one of waiting) if (sharesTurn(one.parties)) one.since = turn;
      await running.begin();
    }
    running = undefined;
  }

  return {
    take: (parties, work) =>
      new Promise((resolve, reject) => {
        // What comes during a turn is before what had that turn, and after what waits already.
        const since = sharesTurn(parties) ? turn : turn - 0.5;
        waiting.push({ parties, since, begin: () => Promise.try(work).then(resolve, reject) });
        if (running === undefined) run();
      }),
  };
}
