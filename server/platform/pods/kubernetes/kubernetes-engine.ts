import { inBytes, type PodLimits } from '../limits.ts';
import { PodError, type PodState, type PodStatus } from '../pod.ts';
import type { Engine } from '../remote/engine.ts';
import { type Answer, faultOf, type KubernetesClient } from './client.ts';
import { execIn } from './exec.ts';
import { claimOf, IMAGE_OF_POD, LABEL_POD, podOf } from './manifests.ts';

/** Pods of Kubernetes: the claim is the pod, and its Pod is there while it runs. */

interface KubernetesOptions {
  client: KubernetesClient;
  image: string;
  /** The namespace of the cluster that has the pods of this installation, and nothing else. */
  namespace: string;
  limits: PodLimits;
}

const STARTED_WITHIN_MS = 180_000;
const GONE_WITHIN_MS = 60_000;
const LOOK_MS = 250;

export function kubernetesEngine({ client, image, namespace, limits }: KubernetesOptions): Engine {
  const nameOf = (id: string) => `guildhall-${id}`;
  const all = `/api/v1/namespaces/${namespace}`;
  const pods = `${all}/pods`;
  const claims = `${all}/persistentvolumeclaims`;

  const expect = async (asked: Promise<Answer>, ...expected: number[]): Promise<Answer> => {
    const answer = await asked;
    if (!expected.includes(answer.status)) throw faultOf(answer);
    return answer;
  };
  const get = async (path: string) => {
    const { status, json } = await expect(client.ask('GET', path), 200, 404);
    return status === 404 ? undefined : json;
  };
  const remove = async (path: string) => {
    await expect(client.ask('DELETE', path), 200, 202, 404);
    await until(GONE_WITHIN_MS, 'it does not end', async () => (await get(path)) === undefined);
  };

  const statusOf = (id: string, claim: Json, pod: Json): PodStatus => {
    if (claim === undefined)
      return { id, state: 'absent', externalId: undefined, reason: undefined };
    const state = claim.metadata.deletionTimestamp ? 'destroying' : stateOf(pod);
    const reason = state === 'paused' ? pod?.status?.message : undefined;
    return { id, state, externalId: nameOf(id), reason };
  };

  return {
    name: 'kubernetes',
    image,
    isolation:
      'containers of a Pod without capabilities, root and service account, the system read-only; ' +
      'the network is as the policies of the namespace say; ' +
      `up to ${inBytes(limits.memory)} of memory and ${limits.cpus} processors each, ` +
      `a volume of ${inBytes(limits.disk)}`,

    async check() {
      await expect(client.ask('GET', `${claims}?limit=1`), 200);
    },

    async create(id, image) {
      const claim = claimOf(nameOf(id), id, image, limits);
      // 409: it is there already.
      await expect(client.ask('POST', claims, claim), 201, 409);
    },

    async find(id) {
      try {
        const claim = await get(`${claims}/${nameOf(id)}`);
        return statusOf(id, claim, claim && (await get(`${pods}/${nameOf(id)}`)));
      } catch (error) {
        const reason = (error as Error).message;
        return { id, state: 'unknown', externalId: undefined, reason };
      }
    },

    async start(id) {
      const name = nameOf(id);
      const claim = await get(`${claims}/${name}`);
      if (claim === undefined) throw new PodError('absent', `there is no pod ${id}`);
      // Pods of before have that of the driver.
      const its: string = claim.metadata.annotations?.[IMAGE_OF_POD] ?? image;
      const before = await get(`${pods}/${name}`);
      // One that is ending, or has ended, runs no more.
      if (before !== undefined && !['running', 'creating'].includes(stateOf(before)))
        await remove(`${pods}/${name}`);
      await expect(client.ask('POST', pods, podOf(name, id, its, limits)), 201, 409);
      let waits = '';
      await until(
        STARTED_WITHIN_MS,
        () => `it does not start${waits}`,
        async () => {
          const pod = await get(`${pods}/${name}`);
          waits = waitingOf(pod);
          return stateOf(pod) === 'running';
        },
      );
      return its;
    },

    stop: (id) => remove(`${pods}/${nameOf(id)}`),
    remove: (id) => remove(`${claims}/${nameOf(id)}`),

    async list() {
      const query = `?labelSelector=${encodeURIComponent(LABEL_POD)}`;
      const [there, running] = await Promise.all(
        [claims, pods].map((path) => expect(client.ask('GET', path + query), 200)),
      );
      const byName = new Map(
        (running?.json.items ?? []).map((pod: Json) => [pod.metadata.name, pod]),
      );
      return (there?.json.items ?? []).map((claim: Json) =>
        statusOf(claim.metadata.labels[LABEL_POD], claim, byName.get(claim.metadata.name)),
      );
    },

    exec: (id, container, command) => execIn(client, `${pods}/${nameOf(id)}`, container, command),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: an object of the API, of which little is read.
type Json = any;

/** Of a pod whose claim is there. */
function stateOf(pod: Json): PodState {
  if (pod === undefined) return 'paused';
  if (pod.metadata.deletionTimestamp) return 'destroying';
  const { phase, containerStatuses = [] } = pod.status ?? {};
  if (phase === 'Running' && containerStatuses.every(({ ready }: Json) => ready)) return 'running';
  // Evicted, or its node was lost: nothing of it runs, and its claim is there.
  return phase === 'Failed' || phase === 'Succeeded' ? 'paused' : 'creating';
}

/** What a Pod waits for. Throws where waiting is of no use. */
function waitingOf(pod: Json): string {
  if (pod === undefined) throw new PodError('failed', 'the Pod was deleted while it started');
  const { phase, message, containerStatuses = [], conditions = [] } = pod.status ?? {};
  if (phase === 'Failed') throw new PodError('failed', `the Pod failed: ${message ?? 'no reason'}`);
  const waiting = containerStatuses.find(({ state }: Json) => state?.waiting)?.state.waiting;
  if (/Err|BackOff|Invalid/.test(waiting?.reason ?? ''))
    throw new PodError(
      'failed',
      `the Pod cannot start: ${waiting.reason}. ${waiting.message ?? ''}`,
    );
  const unmet = conditions.find(({ status }: Json) => status === 'False')?.message;
  return unmet === undefined ? '' : `: ${unmet}`;
}

async function until(
  within: number,
  late: string | (() => string),
  condition: () => Promise<boolean>,
): Promise<void> {
  const deadline = Date.now() + within;
  while (!(await condition())) {
    if (Date.now() > deadline)
      throw new PodError('unavailable', typeof late === 'string' ? late : late());
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
