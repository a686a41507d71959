import { apiError } from '../errors.ts';

/** Every place is taken, of whatever there is a limited number. */
export const overloaded = apiError(
  503,
  'overloaded',
  'The server is at capacity: try again in a moment',
  {
    'retry-after': '1',
  },
);

/** The places of the requests that a process works on at once. */
export interface Slots {
  /**
   * Runs `work` in a slot and frees the slot as soon as its promise settles, whether or not the answer was sent by then.
   * Errors: 503 overloaded at once, before `work` is called, when every slot is taken.
   */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** How many slots are taken. */
  taken(): number;
  /** For how many milliseconds every slot has been taken and none has become free. */
  stuckFor(): number;
}

/** Slots for `limit` requests at once. There is no queue: one that only grows would make every answer late. */
export function createSlots(limit: number): Slots {
  let taken = 0;
  let fullSince = 0;
  return {
    run: async (work) => {
      if (taken >= limit) throw overloaded();
      taken++;
      if (taken === limit) fullSince = performance.now();
      try {
        return await work();
      } finally {
        taken--;
      }
    },
    taken: () => taken,
    stuckFor: () => (taken < limit ? 0 : performance.now() - fullSince),
  };
}
