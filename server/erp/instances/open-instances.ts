import type { Config } from '../../platform/config/config.ts';
import { openPodsPlace } from '../../platform/pods/process/pods-place.ts';
import { podUser } from '../../platform/pods/process/sandbox.ts';
import { commandDriver } from './command-driver.ts';
import type { InstanceDriver } from './instance-driver.ts';

type InstancesConfig = Pick<Config, 'erpInstances' | 'erpPrograms'>;

/** The driver of the configuration; undefined for none. */
export async function openInstances({
  erpInstances: { driver, folder },
  erpPrograms: programs,
}: InstancesConfig): Promise<InstanceDriver | undefined> {
  if (driver !== 'command') return undefined;
  // Where the users of sandboxes reach them, as for pods.
  const place = await openPodsPlace(folder, podUser(), () => {}, 'instances');
  return commandDriver({ directory: place, programs });
}
