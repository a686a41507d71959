import { checkedId, WORK_TREE } from '../places.ts';
import { type Pod, type PodDriver, PodError, type PodStatus } from '../pod.ts';
import type { Engine } from './engine.ts';
import { checkHelper, remoteFiles } from './remote-files.ts';
import { type RunningCommand, runCommand } from './run-command.ts';

/** Pods in the containers of an engine, whose processes are reached through its API. */

export function remoteDriver(engine: Engine): PodDriver {
  /** The start of each pod that this process has started last, with the commands that it runs. */
  const started = new Map<string, Set<RunningCommand>>();
  const workingImages = new Set<string>();

  const stop = async (id: string) => {
    const running = started.get(checkedId(id));
    started.delete(id);
    await engine.stop(id);
    for (const command of running ?? []) command.lost();
  };

  const driver: PodDriver = {
    name: engine.name,
    confined: true,
    check: engine.check,

    async create(id, image = engine.image) {
      await engine.create(checkedId(id), image);
      return driver.find(id);
    },

    find: async (id) => engine.find(checkedId(id)),

    async start(id) {
      const image = await engine.start(checkedId(id));
      if (!workingImages.has(image))
        await checkHelper(engine, id, image).catch(async (error) => {
          // Whoever cannot use it leaves nothing that runs.
          await engine.stop(id).catch(() => undefined);
          throw error;
        });
      workingImages.add(image);
      const running = started.get(id) ?? new Set<RunningCommand>();
      started.set(id, running);
      return {
        id,
        workTree: WORK_TREE,
        hostWorkTree: undefined,
        hostFolder: undefined,
        isolation: engine.isolation,
        files: remoteFiles(engine, id),
        async exec(command) {
          if (started.get(id) !== running)
            throw new PodError('failed', `pod ${id} was stopped: start it again`);
          const one = await runCommand(engine, id, command);
          running.add(one);
          void one.process.exited.then(() => running.delete(one));
          return one.process;
        },
      } satisfies Pod;
    },

    async attach(id) {
      // New containers: a process that hides from whoever ends it does not outlive its container.
      await stop(id);
      return driver.start(id);
    },

    async pause(id) {
      await stop(id);
      return driver.find(id);
    },

    async destroy(id): Promise<PodStatus> {
      await stop(id);
      await engine.remove(id);
      return { id, state: 'absent', externalId: undefined, reason: undefined };
    },

    list: () => engine.list(),

    async close() {
      await Promise.all([...started.keys()].map(stop));
    },
  };
  return driver;
}
