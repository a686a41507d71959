import type { PodDriver } from '../platform/pods/pod.ts';

/**
 * A driver at an engine that others may use, too: tests list and destroy only the pods that they
 * have made. Rejects when the engine has pods already, because a test that runs beside an
 * installation would take up its room, and a mistake in it would destroy its work.
 */
export async function ownPods(
  pods: PodDriver,
  place: string,
): Promise<{ pods: PodDriver; destroyAll(): Promise<void> }> {
  const there = await pods.list();
  if (there.length > 0)
    throw new Error(
      `${place} has ${there.length} pods that no test has made: ` +
        'name one for the tests alone, which is empty.',
    );
  const mine = new Set<string>();
  const own: PodDriver = {
    ...pods,
    create(id) {
      mine.add(id);
      return pods.create(id);
    },
    list: async () => (await pods.list()).filter(({ id }) => mine.has(id)),
  };
  const destroyAll = async () => {
    for (const { id } of await own.list()) await pods.destroy(id);
  };
  return { pods: own, destroyAll };
}
