import type { components } from '@guildhall/client';
import type { State } from '../../ui/status.tsx';

export type Task = components['schemas']['Task'];
export type Merge = components['schemas']['Merge'];

interface Shown {
  state: State;
  word: string;
}

export const STATES: Record<Task['status'], Shown> = {
  queued: { state: 'working', word: 'Queued' },
  planning: { state: 'working', word: 'Planning' },
  awaiting_approval: { state: 'waiting', word: 'Waits for approval' },
  awaiting_answer: { state: 'waiting', word: 'Waits for an answer' },
  building: { state: 'working', word: 'Building' },
  paused: { state: 'waiting', word: 'Paused' },
  ready: { state: 'done', word: 'Ready' },
  failed: { state: 'wrong', word: 'Failed' },
  cancelled: { state: 'idle', word: 'Cancelled' },
};

/** How a task looks in a list: what the agent does, or what became of its pull request. */
export function shownState({ status, pull_request }: Pick<Task, 'status' | 'pull_request'>): Shown {
  if (status === 'ready' && pull_request?.state === 'merged')
    return { state: 'done', word: 'Merged' };
  if (status === 'ready' && pull_request?.state === 'open')
    return { state: 'waiting', word: 'Pull request open' };
  return STATES[status];
}

/** Why a task is paused, in words. */
export const PAUSED: Record<string, string> = {
  pod_lost: 'Its pod does not answer. It goes on by itself when the pod does, or with a new one.',
  insufficient_funds:
    'The balance does not cover another step. It goes on by itself when funds are added in billing, ' +
    'or the operator of this server grants credits.',
  account_not_active:
    'The account that pays is frozen. It goes on by itself when funds are added in billing, or the ' +
    'operator of this server grants credits.',
  spend_limit:
    'A spend limit of this month is reached. It goes on by itself when the limit is raised in ' +
    'billing, or when the next month begins (UTC).',
};

/** Why a task is queued and does not begin, in words. */
export const WAITS: Record<string, string> = {
  no_worker:
    'Nothing carries out tasks now: the operator has to start a worker. It begins by itself then.',
  worker_unable:
    'Agents cannot work on this server now: its log tells the operator why. It begins by itself ' +
    'when they can.',
  pods_unavailable:
    'No pod can be made now, for example because the container engine does not answer, or the disk ' +
    'of the server is full. It begins by itself when that is possible.',
};
