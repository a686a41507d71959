interface Waiting {
  userId: string;
  begin(): void;
}

/** Runs `work` when it is its turn. Errors: the reason of `signal`, before it has begun. */
type Turns = <Result>({ userId, signal }: Asker, work: () => Promise<Result>) => Promise<Result>;

/** Who waits for something, and the signal that they no longer do. */
export interface Asker {
  userId: string;
  signal: AbortSignal;
}

/**
 * Lets at most so many run at once, each for another user. The others wait in line, so that no one
 * waits for more than one of another caller's.
 */
export function takeTurns(most: number): Turns {
  const waiting: Waiting[] = [];
  const running = new Set<string>();

  function beginNext(): void {
    while (running.size < most) {
      const index = waiting.findIndex(({ userId }) => !running.has(userId));
      const [next] = index < 0 ? [] : waiting.splice(index, 1);
      if (next === undefined) return;
      running.add(next.userId);
      next.begin();
    }
  }

  const turn = (userId: string, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const place = { userId, begin };
      const leave = () => {
        waiting.splice(waiting.indexOf(place), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.push(place);
      beginNext();
    });

  return async ({ userId, signal }, work) => {
    signal.throwIfAborted();
    await turn(userId, signal);
    try {
      return await work();
    } finally {
      running.delete(userId);
      beginNext();
    }
  };
}
