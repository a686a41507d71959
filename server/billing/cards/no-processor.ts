import type { Processor } from './processor.ts';

const unknown = async () => ({ kind: 'unknown', reason: 'no card processor is set up' }) as const;
const unavailable = async () =>
  ({ kind: 'unavailable', reason: 'no card processor is set up' }) as const;

/** Stands where no cards are taken, and none that were charged before are followed. */
export const noProcessor: Processor = {
  name: 'none',
  cards: {
    begin: unavailable,
    read: unknown,
    cancel: unknown,
    card: unknown,
    // It stays to be removed by a server that has the key.
    detach: async () => false,
  },
  create: unknown,
  confirm: unknown,
  attend: unknown,
  retrieve: unknown,
  cancel: unknown,
  movements: async () => undefined,
  refund: unknown,
  events: async function* () {},
};
