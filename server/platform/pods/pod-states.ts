/** The states of a pod as its row has them; `absent`: it is gone, and the row only tells of it. */
export const POD_STATES = [
  'creating',
  'running',
  'paused',
  'unknown',
  'failed',
  'destroying',
  'absent',
] as const;

export type StoredPodState = (typeof POD_STATES)[number];

/**
 * Where a pod can go from each state. The database refuses everything else (check_pod_transition),
 * and a test holds the two equal.
 *
 * `unknown`: its driver does not answer. A pod that is `destroying`, `failed` or `absent` is never
 * used again: the task gets another one, while a worker removes what is left of the old one.
 */
export const POD_TRANSITIONS: Record<StoredPodState, readonly StoredPodState[]> = {
  creating: ['running', 'paused', 'unknown', 'failed', 'destroying', 'absent'],
  running: ['paused', 'unknown', 'failed', 'destroying', 'absent'],
  paused: ['running', 'unknown', 'failed', 'destroying', 'absent'],
  unknown: ['running', 'paused', 'failed', 'destroying', 'absent'],
  failed: ['destroying', 'absent'],
  destroying: ['absent'],
  absent: [],
};
