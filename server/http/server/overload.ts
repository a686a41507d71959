import { apiError } from '../errors.ts';

/** A limit on concurrent work is reached. */
export const overloaded = apiError(
  503,
  'overloaded',
  'The server is at capacity: try again in a moment',
  {
    'retry-after': '1',
  },
);

/** Slots for the requests that a process works on at once. */
export interface Slots {
  /**
   * Runs `work` in a slot, which is free again as soon as the work is done: sending the answer
   * needs no slot. Errors: 503 overloaded, without calling `work`, if every slot is taken.
   */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** How many slots are taken. */
  taken(): number;
  /** For how many milliseconds every slot has been taken without any becoming free. */
  stuckFor(): number;
}

/**
 * Makes `limit` slots. There is no queue, because a queue that only grows would delay every answer.
 */
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
