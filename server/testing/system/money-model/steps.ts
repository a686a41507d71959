import fc from 'fast-check';
import type { Processor } from '../../../billing/cards/processor.ts';
import type { FaultKind } from '../../fakes/fake-stripe/faults.ts';

const ON_INTENT = ['payment_intents/:id/confirm', 'payment_intents/:id/cancel'];
const cents = fc.integer({ min: 100, max: 3000 });
/**
 * One thing that happens in the model of money: a request, a fault of the processor, a death, or
 * time that passes.
 */
export const step = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fault' as const),
      at: fc.constantFrom('payment_intents', ...ON_INTENT, 'refunds'),
      kind: fc.constantFrom<FaultKind>(
        'dropBefore',
        'dropAfter',
        'hang',
        'truncate',
        '500saved',
        '502html',
        'slow',
        'lockTimeout',
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('die' as const),
      before: fc.constantFrom<keyof Processor>('create', 'confirm', 'cancel'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      cents,
      declined: fc.boolean(),
      workspace: fc.boolean(),
      times: fc.integer({ min: 1, max: 3 }),
      keyed: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('dispute' as const),
      which: fc.nat(2),
      won: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      which: fc.nat(2),
      part: fc.option(fc.integer({ min: 1, max: 400 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('hold' as const),
      cents,
      end: fc.constantFrom('capture', 'release', 'open'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('usage' as const),
      nano: fc.array(fc.integer({ min: 1, max: 2_000_000_000 }), { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('events' as const),
      order: fc.constantFrom('oldest' as const, 'newest' as const, 'shuffled' as const),
      duplicate: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('clock' as const) }) },
);
export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
