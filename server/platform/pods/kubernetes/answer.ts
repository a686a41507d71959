import { PodError } from '../pod.ts';

/** What the API of Kubernetes answers, and what an answer that was not expected means. */

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the API's answer, of which little is read.
  json: any;
}

const PROXY = 'WebSockets must be let through by what is between the worker and the API';

/** For people; the cluster's own words may name registries, nodes and accounts. */
const SENTENCE =
  'the cluster does not run the pod now; the operator of this server finds the reason in the log ' +
  'of its worker';

/** An error with the cluster's words for the operator. */
export const clusterError = (
  code: 'unavailable' | 'failed',
  message: string,
  options?: ErrorOptions,
): PodError => new PodError(code, message, { sentence: SENTENCE, ...options });

export const unavailable = (cause: Error, how = 'does not answer'): PodError =>
  clusterError('unavailable', `Kubernetes ${how} (${cause.message})`, { cause });

/**
 * A refused token and a full quota pass, as does what the API cannot do now. A Pod that is not there
 * was deleted under whoever asks: it can be made again.
 */
export function faultOf(answer: Answer): PodError {
  const { status, json } = answer;
  // Of the API itself: what else answers sends a page, or nothing.
  const isApi = json?.kind === 'Status';
  const words = String(json?.message ?? '').slice(0, 300);
  if (status === 401)
    return clusterError('unavailable', `Kubernetes refuses the token of the worker (${words})`);
  // What the API answers to an exec that has arrived without its request for a WebSocket.
  if (/Upgrade request required/.test(words))
    return clusterError('failed', `Kubernetes: ${words}: ${PROXY}`);
  const passes = status === 429 || status >= 500 || isFull(answer) || (isApi && status === 404);
  if (isApi || words !== '')
    return clusterError(passes ? 'unavailable' : 'failed', `Kubernetes: ${words}`);
  return clusterError(
    passes ? 'unavailable' : 'failed',
    `Kubernetes, or a proxy before it, answers ${status} without saying why: ${PROXY}`,
  );
}

/** A quota of the namespace is used up, or was made a moment ago. */
export const isFull = ({ status, json }: Answer): boolean =>
  status === 403 && /exceeded quota|status unknown for quota/.test(String(json?.message));

export function parse(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
