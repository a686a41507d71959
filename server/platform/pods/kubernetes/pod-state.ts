import type { PodState } from '../pod.ts';

/** What the object of a Pod says: whether it runs, and if not, why. */

// biome-ignore lint/suspicious/noExplicitAny: an object of the API, of which little is read.
export type Json = any;

/** `reason`: in the cluster's words, where there are any. */
interface Found {
  state: PodState;
  reason: string | undefined;
}

/** Of a pod whose claim is there. */
export function stateOf(pod: Json): Found {
  if (pod === undefined) return { state: 'paused', reason: undefined };
  const reason = reasonOf(pod);
  if (pod.metadata.deletionTimestamp) return { state: 'destroying', reason };
  const { phase, containerStatuses = [] } = pod.status ?? {};
  // Nothing of it runs, or not all of it, and no container is started again: its claim is there.
  if (phase === 'Failed' || phase === 'Succeeded' || endedOf(pod).length > 0)
    return { state: 'paused', reason };
  const ready = containerStatuses.length > 0 && containerStatuses.every((one: Json) => one.ready);
  if (phase !== 'Running' || !ready) return { state: 'creating', reason };
  return nodeOf(pod) === undefined
    ? { state: 'running', reason: undefined }
    : { state: 'unknown', reason };
}

/**
 * The node of a Pod that does not answer: the cluster then takes back that the Pod is ready, while
 * its containers are as they were seen last. Undefined for one that answers.
 */
export function nodeOf({ spec, status }: Json): string | undefined {
  const { conditions = [], containerStatuses = [] } = status ?? {};
  const ready = conditions.find(({ type }: Json) => type === 'Ready');
  const seen = containerStatuses.length > 0 && containerStatuses.every((one: Json) => one.ready);
  if (!seen || ready === undefined || ready.status === 'True') return undefined;
  return spec?.nodeName ?? 'its node';
}

interface Ended {
  name: string;
  reason: string | undefined;
  message: string | undefined;
  exitCode: number | undefined;
}

/** The containers of a Pod that have ended. */
const endedOf = ({ status }: Json): Ended[] =>
  (status?.containerStatuses ?? []).flatMap(({ name, state }: Json) =>
    state?.terminated ? [{ name, ...state.terminated }] : [],
  );

/** What a container of a Pod waits for. */
const waitingOf = ({ status }: Json): { reason?: string; message?: string } | undefined =>
  (status?.containerStatuses ?? []).find(({ state }: Json) => state?.waiting)?.state.waiting;

/** Why a Pod does not run, as far as its object says so. */
export function reasonOf(pod: Json): string | undefined {
  const { reason, message, conditions = [] } = pod?.status ?? {};
  if (reason || message) return [reason, message].filter(Boolean).join(': ');
  const [ended] = endedOf(pod);
  if (ended !== undefined) {
    const how = ended.reason ?? `code ${ended.exitCode}`;
    return [`its container ${ended.name} has ended`, how, ended.message].filter(Boolean).join(': ');
  }
  const node = pod && nodeOf(pod);
  if (node !== undefined) return `node ${node} does not answer`;
  const waiting = waitingOf(pod ?? {});
  if (waiting?.message || CANNOT.test(waiting?.reason ?? ''))
    return [waiting?.reason, waiting?.message].filter(Boolean).join(': ');
  return conditions.find(({ status }: Json) => status === 'False')?.message;
}

const CANNOT = /Err|BackOff|Invalid/;
/** What the kubelet tries again by itself. */
const PULLING = /^(ErrImagePull|ImagePullBackOff)$/;

/** The image of a container could not be pulled until now. */
export const isPulling = (pod: Json): boolean => PULLING.test(waitingOf(pod)?.reason ?? '');

/**
 * What is to become of a Pod that does not run yet: `later`, it can come to run; `again`, another
 * one in its place can, because this one was refused or ended by its node; `never`.
 */
export function prospectOf(pod: Json): 'later' | 'again' | 'never' {
  const { phase, reason } = pod.status ?? {};
  const [ended] = endedOf(pod);
  if (phase === 'Failed' && (reason || ended === undefined)) return 'again';
  if (phase === 'Failed' || phase === 'Succeeded' || ended !== undefined) return 'never';
  const waiting = waitingOf(pod)?.reason ?? '';
  return CANNOT.test(waiting) && !PULLING.test(waiting) ? 'never' : 'later';
}

/** The limit of its own that a Pod has exceeded: then it would do so again. */
export function limitOf(pod: Json): 'memory' | 'disk' | undefined {
  if (pod === undefined) return undefined;
  // That of the files has no agent, and less memory.
  if (endedOf(pod).some(({ name, reason }) => name !== 'files' && reason === 'OOMKilled'))
    return 'memory';
  const { reason, message } = pod.status ?? {};
  return reason === 'Evicted' && /exceeds the|exceeded its/i.test(message) ? 'disk' : undefined;
}
