import { PodError, type PodFiles } from '../../platform/pods/pod.ts';

/**
 * Removes the first file or link that stands where a folder of this path should be, so that the
 * path can be made. False when there is none, or when the repository tracks it.
 */
export async function makeRoom(
  pod: PodFiles,
  path: string,
  isTracked: (path: string) => Promise<boolean>,
): Promise<boolean> {
  let parent = '';
  for (const name of path.split('/')) {
    const here = parent === '' ? name : `${parent}/${name}`;
    const found = (await pod.list(parent))?.find((file) => file.name === name);
    if (found === undefined) return false;
    if (found.type !== 'folder') {
      if (await isTracked(here)) return false;
      await pod.remove(here);
      return true;
    }
    parent = here;
  }
  return false;
}

export const isOutside = (error: unknown): boolean =>
  error instanceof PodError && error.code === 'outside';
