import { inBytes, type PodLimits } from '../limits.ts';
import { PodError, type PodStatus } from '../pod.ts';
import { CONTAINERS, type ContainerName, type Engine } from '../remote/engine.ts';
import { type DockerClient, faultOf } from './client.ts';
import { containerOf } from './container.ts';
import { execIn } from './exec.ts';

/** Pods as containers and volumes of a Docker engine. */

interface DockerOptions {
  client: DockerClient;
  image: string;
  /** Tells our pods from those of another server at the same engine. */
  namespace: string;
  limits: PodLimits;
}

const LABEL_POD = 'guildhall.pod';
const LABEL_NAMESPACE = 'guildhall.namespace';
const LABEL_IMAGE = 'guildhall.image';

/** The work tree last: as long as it is there, so is the pod. */
const VOLUMES = ['home', 'work'] as const;

export function dockerEngine({ client, image, namespace, limits }: DockerOptions): Engine {
  const nameOf = (id: string, what: string) => `${namespace}-${id}-${what}`;
  const labels = (id: string) => ({ [LABEL_POD]: id, [LABEL_NAMESPACE]: namespace });
  const ours = `${LABEL_NAMESPACE}=${namespace}`;
  const filters = (...label: string[]) => encodeURIComponent(JSON.stringify({ label }));

  const expect = async (asked: ReturnType<DockerClient['ask']>, ...expected: number[]) => {
    const { status, json } = await asked;
    if (!expected.includes(status)) throw faultOf(status, json);
    return { status, json };
  };

  /** The pods that have something with the label: id → states of its containers. */
  const containersOf = async (...label: string[]): Promise<Map<string, string[]>> => {
    const path = `/containers/json?all=true&filters=${filters(ours, ...label)}`;
    const { json } = await expect(client.ask('GET', path), 200);
    const states = new Map<string, string[]>();
    for (const { Labels, State } of json) {
      const id: string = Labels?.[LABEL_POD] ?? '';
      states.set(id, [...(states.get(id) ?? []), State]);
    }
    return states;
  };

  const statusOf = (id: string, states: string[] = []): PodStatus => {
    const running = states.filter((state) => state === 'running').length;
    const state = running === CONTAINERS.length ? 'running' : 'paused';
    return { id, state, externalId: nameOf(id, 'work'), reason: undefined };
  };

  /** The image of a pod; undefined where there is none. Pods of before have that of the driver. */
  const imageOf = async (id: string): Promise<string | undefined> => {
    const path = `/volumes/${nameOf(id, 'work')}`;
    const { status, json } = await expect(client.ask('GET', path), 200, 404);
    return status === 404 ? undefined : (json.Labels?.[LABEL_IMAGE] ?? image);
  };

  const noImage = (image: string) =>
    new PodError('failed', `the container engine has no image ${image}: pull or build it`);

  const startOne = async (id: string, which: ContainerName, image: string) => {
    const name = nameOf(id, which);
    const volumes = { work: nameOf(id, 'work'), home: nameOf(id, 'home') };
    const container = containerOf({ which, image, limits, labels: labels(id), volumes });
    const made = await client.ask('POST', `/containers/create?name=${name}`, container);
    if (made.status === 404) throw noImage(image);
    // 409: it is there already.
    if (made.status !== 201 && made.status !== 409) throw faultOf(made.status, made.json);
    await expect(client.ask('POST', `/containers/${name}/start`), 204, 304);
  };

  return {
    name: 'docker',
    image,
    isolation:
      'containers without network, capabilities and root, the system read-only; ' +
      `up to ${inBytes(limits.memory)} of memory, ${limits.processes} processes and ` +
      `${limits.cpus} processors each; the disk is not bounded`,

    async check() {
      const path = `/images/${image.split('/').map(encodeURIComponent).join('/')}/json`;
      if ((await expect(client.ask('GET', path), 200, 404)).status === 404) throw noImage(image);
    },

    async create(id, image) {
      for (const volume of VOLUMES) {
        const body = { Name: nameOf(id, volume), Labels: { ...labels(id), [LABEL_IMAGE]: image } };
        await expect(client.ask('POST', '/volumes/create', body), 201);
      }
    },

    async find(id) {
      try {
        if ((await imageOf(id)) !== undefined)
          return statusOf(id, (await containersOf(`${LABEL_POD}=${id}`)).get(id));
        return { id, state: 'absent', externalId: undefined, reason: undefined };
      } catch (error) {
        const reason = (error as Error).message;
        return { id, state: 'unknown', externalId: undefined, reason };
      }
    },

    async start(id) {
      const image = await imageOf(id);
      if (image === undefined) throw new PodError('absent', `there is no pod ${id}`);
      await Promise.all(CONTAINERS.map((which) => startOne(id, which, image)));
      return image;
    },

    async stop(id) {
      await Promise.all(
        CONTAINERS.map(async (which) => {
          const path = `/containers/${nameOf(id, which)}?force=true`;
          // 409: it is being removed already.
          await expect(client.ask('DELETE', path), 204, 404, 409);
        }),
      );
      await untilGone(async () => (await containersOf(`${LABEL_POD}=${id}`)).size === 0);
    },

    async remove(id) {
      for (const volume of VOLUMES)
        await expect(client.ask('DELETE', `/volumes/${nameOf(id, volume)}`), 204, 404);
    },

    async list() {
      const [{ json }, states] = await Promise.all([
        expect(client.ask('GET', `/volumes?filters=${filters(ours)}`), 200),
        containersOf(),
      ]);
      // No list where there is none.
      const ids: string[] = (json.Volumes ?? []).map(
        ({ Labels }: { Labels?: Record<string, string> }) => Labels?.[LABEL_POD] ?? '',
      );
      return [...new Set(ids)].map((id) => statusOf(id, states.get(id)));
    },

    exec: (id, container, command) => execIn(client, nameOf(id, container), command),
  };
}

const GONE_WITHIN_MS = 30_000;

async function untilGone(gone: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + GONE_WITHIN_MS;
  while (!(await gone())) {
    if (Date.now() > deadline) throw new PodError('unavailable', 'the container does not end');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
