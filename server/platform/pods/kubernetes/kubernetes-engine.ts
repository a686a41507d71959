import { setTimeout as pause } from 'node:timers/promises';
import { inBytes, type PodLimits } from '../limits.ts';
import { PodError, type PodStatus } from '../pod.ts';
import type { Engine } from '../remote/engine.ts';
import { type Answer, clusterError, faultOf, isFull } from './answer.ts';
import type { KubernetesClient } from './client.ts';
import { execIn } from './exec.ts';
import { claimOf, IMAGE_OF_POD, LABEL_POD, podOf } from './manifests.ts';
import {
  isPulling,
  type Json,
  limitOf,
  nodeOf,
  prospectOf,
  reasonOf,
  stateOf,
} from './pod-state.ts';

/** Pods of Kubernetes: the claim is the pod, and its Pod is there while it runs. */

interface KubernetesOptions {
  client: KubernetesClient;
  image: string;
  /** The namespace of the cluster that has the pods of this installation, and nothing else. */
  namespace: string;
  limits: PodLimits;
  times?: Partial<KubernetesTimes>;
}

/** In milliseconds. */
interface KubernetesTimes {
  /** For room in the cluster, an image, and the start of a Pod. */
  start: number;
  /** For a Pod or a claim to be gone. */
  gone: number;
  /** For the end of a container to be known in which a process was killed. */
  ended: number;
  /** Between two polls. */
  poll: number;
  /** Between two attempts to make something for which a quota has no room. */
  room: number;
  /** Between two signs of life on a connection. */
  ping: number;
}

const TIMES: KubernetesTimes = {
  start: 180_000,
  gone: 60_000,
  ended: 4_000,
  poll: 250,
  room: 2_000,
  ping: 30_000,
};

export function kubernetesEngine(options: KubernetesOptions): Engine {
  const { client, image, namespace, limits } = options;
  const times = { ...TIMES, ...options.times };
  const nameOf = (id: string) => `guildhall-${id}`;
  const all = `/api/v1/namespaces/${namespace}`;
  const pods = `${all}/pods`;
  const claims = `${all}/persistentvolumeclaims`;

  const expect = async (asked: Promise<Answer>, ...expected: number[]): Promise<Answer> => {
    const answer = await asked;
    if (!expected.includes(answer.status)) throw faultOf(answer);
    return answer;
  };
  const get = async (path: string): Promise<Json> => {
    const { status, json } = await expect(client.ask('GET', path), 200, 404);
    return status === 404 ? undefined : json;
  };

  /** Makes what is not there yet. A full quota is waited for as a full cluster is. */
  const make = async (path: string, object: object, deadline: number): Promise<void> => {
    for (;;) {
      const answer = await client.ask('POST', path, object);
      // 409: it is there already.
      if (answer.status === 201 || answer.status === 409) return;
      if (!isFull(answer) || Date.now() > deadline) throw faultOf(answer);
      await pause(times.room);
    }
  };

  const remove = async (path: string) => {
    await expect(client.ask('DELETE', path), 200, 202, 404);
    const deadline = Date.now() + times.gone;
    for (;;) {
      const left = await get(path);
      if (left === undefined) return;
      // Only its node can say that nothing of it runs any more.
      const node = nodeOf(left);
      if (node !== undefined || Date.now() > deadline)
        throw clusterError(
          'unavailable',
          `${left.metadata.name} does not end${node ? `: node ${node} does not answer` : ''}`,
        );
      await pause(times.poll);
    }
  };

  /** Resolves once this very Pod runs. */
  const untilRuns = async (path: string, uid: string, deadline: number) => {
    for (;;) {
      const pod = await get(path);
      if (pod?.metadata.uid !== uid || pod.metadata.deletionTimestamp)
        throw clusterError('unavailable', 'the Pod was deleted while it started');
      if (stateOf(pod).state === 'running') return;
      const prospect = prospectOf(pod);
      const late = Date.now() > deadline;
      if (late || prospect !== 'later') {
        const passes = prospect === 'again' || (prospect === 'later' && !isPulling(pod));
        const why = reasonOf(pod) ?? 'the cluster does not say why';
        throw clusterError(passes ? 'unavailable' : 'failed', `the Pod does not start: ${why}`);
      }
      await pause(times.poll);
    }
  };

  const statusOf = (id: string, claim: Json, pod: Json): PodStatus => {
    if (claim === undefined)
      return { id, state: 'absent', externalId: undefined, reason: undefined };
    const { state, reason } = claim.metadata.deletionTimestamp
      ? { state: 'destroying' as const, reason: undefined }
      : stateOf(pod);
    return { id, state, externalId: nameOf(id), reason, exceeded: exceededOf(pod) };
  };
  const exceededOf = (pod: Json): string | undefined => {
    const limit = limitOf(pod);
    if (limit === 'memory') return `It used more than ${inBytes(limits.memory)} of memory.`;
    return limit && 'It used more room for temporary files than its pod has.';
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

    create: (id, image) =>
      make(claims, claimOf(nameOf(id), id, image, limits), Date.now() + times.start),

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
      const path = `${pods}/${name}`;
      const deadline = Date.now() + times.start;
      const claim = await get(`${claims}/${name}`);
      if (claim === undefined) throw new PodError('absent', `there is no pod ${id}`);
      // Pods of before have that of the driver.
      const its: string = claim.metadata.annotations?.[IMAGE_OF_POD] ?? image;
      const before = await get(path);
      // One that is ending, or has ended in part, runs no more.
      if (before !== undefined && !['running', 'creating'].includes(stateOf(before).state))
        await remove(path);
      await make(pods, podOf(name, id, its, limits, claim.metadata.uid), deadline);
      const uid: string | undefined = (await get(path))?.metadata.uid;
      if (uid === undefined) throw clusterError('unavailable', 'the Pod was deleted at once');
      try {
        await untilRuns(path, uid, deadline);
      } catch (error) {
        // It keeps no place in the cluster. Never another one of this name: that is someone else's.
        const only = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } };
        await client.ask('DELETE', path, only).catch(() => undefined);
        throw error;
      }
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

    exec: (id, container, command) =>
      execIn(client, `${pods}/${nameOf(id)}`, { container, command, ping: times.ping }),

    async ended(id) {
      const deadline = Date.now() + times.ended;
      for (;;) {
        const { state, exceeded } = await get(`${pods}/${nameOf(id)}`).then(
          (pod) => ({ state: stateOf(pod).state, exceeded: exceededOf(pod) }),
          () => ({ state: 'unknown', exceeded: undefined }),
        );
        if (state !== 'running') return exceeded ?? 'lost';
        // The kubelet tells it a moment later.
        if (Date.now() > deadline) return undefined;
        await pause(times.poll);
      }
    },
  };
}
