import { PodError } from './pod.ts';

/**
 * Where the processes of a confined pod find things, whatever its driver. These folders hide no
 * Node.js and no agent of this machine, wherever those are installed.
 */
export const WORK_TREE = '/pod/work';
export const HOME = '/pod/home';
export const SOCKETS = '/run/guildhall';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const isPodId = (id: string): boolean => UUID.test(id);

/** Returns the id, which becomes part of names and paths; throws PodError if it is none. */
export function checkedId(id: string): string {
  if (!isPodId(id)) throw new PodError('failed', `"${id}" is no id of a pod`);
  return id;
}
