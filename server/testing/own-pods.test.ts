import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { withoutContainers } from './fakes/containers/container.ts';
import { podDrivers } from './pod-drivers.ts';

/** The tests of pods at an engine that has the pods of tasks, too. */

for (const { name, make } of podDrivers.filter(({ elsewhere }) => elsewhere))
  test(`${name}: a test lists and destroys only what it has made`, {
    skip: withoutContainers,
  }, async (t) => {
    const installation = await make(t);
    const ends: (() => Promise<void>)[] = [];
    const { engine } = installation;
    const beside = { after: (end: () => Promise<void>) => ends.push(end) };
    const tests = await make(beside as unknown as TestContext, engine);
    const [theirs, mine] = [randomUUID(), randomUUID()];
    await installation.create(theirs);
    await tests.create(mine);
    assert.deepEqual(
      (await tests.list()).map(({ id }) => id),
      [mine],
    );
    for (const end of ends.reverse()) await end();
    assert.equal((await installation.find(mine)).state, 'absent');
    assert.equal((await installation.find(theirs)).state, 'paused');
    await assert.rejects(make(t, engine), /has 1 pods that no test has made/);
  });
