import type { Repositories } from '../repository.ts';
import type { Environments } from './environment.ts';

/**
 * The image that a new pod of a task is made of: that of the environment of its newest commit.
 * Undefined for that of the driver.
 */
export async function imageOfTask(
  {
    environments,
    repositories,
  }: { environments?: Environments | undefined; repositories: Repositories },
  { projectId, taskId }: { projectId: string; taskId: string },
): Promise<string | undefined> {
  if (environments?.haveImages !== true) return undefined;
  const commit = await repositories.headOf({ projectId, taskId });
  return (await environments.of({ projectId, commit })).image;
}
