import type { Config } from '../../platform/config/config.ts';
import { openPodsPlace } from '../../platform/pods/process/pods-place.ts';
import { podUser } from '../../platform/pods/process/sandbox.ts';
import { commandDriver } from './command-driver.ts';
import type { InstanceDriver } from './instance-driver.ts';

type InstancesConfig = Pick<Config, 'erpInstances' | 'erpPrograms' | 'pods'>;

/** The driver of the configuration; undefined for none. */
export async function openInstances(config: InstancesConfig): Promise<InstanceDriver | undefined> {
  const { erpInstances, erpPrograms: programs, pods } = config;
  const { driver, folder: directory } = erpInstances;
  const { namespace } = pods;
  // Their modules are loaded when they are needed, and only then.
  if (driver === 'docker') {
    const { dockerClient } = await import('../../platform/pods/docker/client.ts');
    const { dockerInstances } = await import('./docker-driver.ts');
    const { host, certificates } = pods.docker;
    const client = await dockerClient(host, certificates);
    return dockerInstances({ client, host, programs, namespace });
  }
  if (driver === 'kubernetes') {
    const { kubernetesClient } = await import('../../platform/pods/kubernetes/client.ts');
    const { kubernetesInstances } = await import('./kubernetes-driver.ts');
    return kubernetesInstances({ client: kubernetesClient(pods.kubernetes), programs, namespace });
  }
  if (driver !== 'command') return undefined;
  // Where the users of sandboxes reach them, as for pods.
  const place = await openPodsPlace(directory, podUser(), () => {}, 'instances');
  return commandDriver({ directory: place, programs });
}
