import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { startHarness } from '../harness/harness.ts';
import { canOpen, explanations, type State, type Step } from './membership-model/rules.ts';
import { makeWorld, PEOPLE, type World } from './membership-model/world.ts';

const RUNS = Number(process.env.GUILDHALL_TEST_MODEL_RUNS ?? 25);
const SEED = Number(process.env.GUILDHALL_TEST_MODEL_SEED ?? 720416338);

const harness = await startHarness();

const role = fc.constantFrom('admin' as const, 'member' as const, 'viewer' as const);
const workspaceRole = fc.oneof(role, fc.constant('lead' as const));
const anybody = fc.nat(PEOPLE - 1);
// Mostly those who may, so that most steps change something.
const who = { by: fc.oneof({ weight: 3, arbitrary: fc.nat(1) }, anybody), whom: anybody };
const simple = (name: Exclude<Step['do'], 'update' | 'set'>) =>
  fc.record({ ...who, do: fc.constant(name) });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 18, arbitrary: fc.record({ ...who, do: fc.constant('update'), role: workspaceRole }) },
  { weight: 9, arbitrary: simple('remove') },
  { weight: 6, arbitrary: simple('leave') },
  { weight: 12, arbitrary: simple('transfer') },
  { weight: 9, arbitrary: simple('join team') },
  { weight: 6, arbitrary: simple('leave team') },
  { weight: 9, arbitrary: fc.record({ ...who, do: fc.constant('set'), role }) },
  { weight: 6, arbitrary: simple('unset') },
  { weight: 1, arbitrary: simple('delete') },
) as fc.Arbitrary<Step>;

/** Steps at the same time; before them a person may join, be deactivated or be activated again. */
const moment = fc.record({
  first: fc.option(
    fc.record({ do: fc.constantFrom('join', 'deactivate', 'activate'), person: anybody }),
    { freq: 1 },
  ),
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
});

async function prepare(world: World, first: { do: string; person: number }): Promise<void> {
  if (first.do === 'join') await world.join(first.person);
  else await world.activate(first.person, first.do === 'activate');
}

// Who can open the project: by the rulings, by the list that each of them gets, and by trying.
async function checkAccess(world: World, state: State): Promise<void> {
  const able = canOpen(state);
  const opened = await world.opened();
  assert.deepEqual(
    opened.map(({ by }) => by),
    able,
    'others can open the project',
  );
  for (const { by, people } of opened) assert.deepEqual(people, able, `${by} is shown others`);
  const [witness] = able;
  if (witness !== undefined) assert.deepEqual(await world.owners(witness), [state.owner]);
}

test('property: whatever members do at the same time, each answer and what it leaves are those of some order, with one owner', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(workspaceRole, { minLength: PEOPLE - 2, maxLength: PEOPLE - 2 }),
      fc.array(moment, { minLength: 3, maxLength: 8 }),
      async (roles, moments) => {
        const world = await makeWorld(harness, roles);
        for (const { first, steps } of moments) {
          if (first !== null) await prepare(world, first);
          const before = await world.read();
          const answers = await Promise.all(steps.map(world.send));
          const after = await world.read();
          const statuses = answers.map(({ status }) => status);
          const possible = explanations(before, steps, statuses).map(comparable);
          assert.ok(
            possible.includes(comparable(after)),
            `no order explains ${JSON.stringify({ before, steps, answers, after })}`,
          );
          await checkAccess(world, after);
        }
      },
    ),
    { numRuns: RUNS, endOnFailure: true, seed: SEED },
  );
});

// A workspace that is gone has no owner.
const comparable = (state: State): string =>
  JSON.stringify({
    ...state,
    owner: state.gone ? -1 : state.owner,
    roles: Object.entries(state.roles).sort(),
    overrides: Object.entries(state.overrides).sort(),
    inTeam: state.inTeam.toSorted(),
  });
