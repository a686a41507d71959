import { useSyncExternalStore } from 'react';

/** Tasks whose plan this page holds a changed text of, which was not saved yet. */
const revised = new Set<string>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether a revision of the plan is being typed: until it is saved or given up, none is approved. */
export const useRevising = (taskId: string): boolean =>
  useSyncExternalStore(subscribe, () => revised.has(taskId));

export function noteRevising(taskId: string, revising: boolean): void {
  if (revised.has(taskId) === revising) return;
  if (revising) revised.add(taskId);
  else revised.delete(taskId);
  for (const each of listeners) each();
}
