import fc from 'fast-check';
import { step as moneyStep } from '../money-model/steps.ts';

/** What an agent costs, one charge after the other, in nano-USD; at most a fifth of a slice. */
const costs = fc.array(
  fc.oneof(fc.constant(100_000_000), fc.integer({ min: 1, max: 100_000_000 })),
  { maxLength: 40, size: 'max' },
);
/** What an agent does, as the text of a message to its task. */
const script = fc.record({
  costs,
  end: fc.constantFrom('done' as const, 'done' as const, 'fail' as const, 'hang' as const),
});
export type Script = typeof script extends fc.Arbitrary<infer Value> ? Value : never;

const task = fc.nat(3);
const project = fc.nat(1);

/** One thing that happens to the turns of a tenant, beside what happens to its money. */
const turnStep = fc.oneof(
  { weight: 25, arbitrary: fc.record({ do: fc.constant('message' as const), task, script }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('lose' as const), task }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('vanish' as const), charges: fc.nat(5) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), task }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('resume' as const), task }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('cap' as const),
      of: fc.constantFrom('task' as const, 'project' as const),
      task,
      cents: fc.integer({ min: 1, max: 60 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('transfer' as const),
      project,
      to: fc.constantFrom('workspace' as const, 'other' as const, 'person' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('claim' as const), project }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('deleteTask' as const), task }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('deleteProject' as const), project }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(150) }) },
);
export type TurnStep = typeof turnStep extends fc.Arbitrary<infer Value> ? Value : never;

export const step = fc.oneof(
  { weight: 3, arbitrary: turnStep.map((turn) => ({ turn })) },
  { weight: 1, arbitrary: moneyStep.map((money) => ({ money })) },
);
