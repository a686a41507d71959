import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { dockerInstances } from '../erp/instances/docker-driver.ts';
import type { InstanceDriver } from '../erp/instances/instance-driver.ts';
import { kubernetesInstances } from '../erp/instances/kubernetes-driver.ts';
import { dockerClient } from '../platform/pods/docker/client.ts';
import { kubernetesClient } from '../platform/pods/kubernetes/client.ts';
import { fakeDockerInstances } from './fakes/containers/docker-instances.ts';
import { fakeKubernetesInstances } from './fakes/containers/kubernetes-instances.ts';
import { makeInstances } from './instances.ts';

/**
 * Every driver of ERP instances, for the tests of what they have in common. Those of container
 * engines use a fake of the engine's API, or a real Docker engine where the environment has
 * GUILDHALL_TEST_DOCKER=1: it needs the images odoo:18.0, odoo:19.0 and postgres:16.
 */
interface TestDriver {
  name: string;
  /** Why it cannot be tested on this machine. */
  skip: string | false;
  make(t: TestContext): Promise<InstanceDriver>;
}

const { GUILDHALL_TEST_DOCKER, DOCKER_HOST = 'unix:///var/run/docker.sock' } = process.env;

const folder = async (t: TestContext) => {
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-engine-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
};

/** The driver of Docker, with the fake that it talks to. */
export async function makeDockerInstances(t: TestContext) {
  const engine = await fakeDockerInstances(await folder(t));
  t.after(engine.close);
  const client = await dockerClient(engine.host, undefined, 5_000);
  const driver = (namespace = 'guildhall') =>
    dockerInstances({ client, host: engine.host, programs: [], namespace });
  return { engine, driver };
}

/** The driver of Kubernetes, with the fake that it talks to. */
export async function makeKubernetesInstances(t: TestContext) {
  const cluster = await fakeKubernetesInstances(await folder(t));
  t.after(cluster.close);
  const { url, tokenFile } = cluster;
  const client = kubernetesClient({ url, tokenFile, caFile: undefined }, 5_000);
  const driver = kubernetesInstances({ client, programs: [], namespace: 'agents' });
  return { cluster, driver };
}

const realDocker: TestDriver = {
  name: 'docker',
  skip: false,
  make: async (t) => {
    const namespace = (await folder(t)).slice(-6).toLowerCase();
    const client = await dockerClient(DOCKER_HOST);
    const driver = dockerInstances({ client, host: DOCKER_HOST, programs: [], namespace });
    t.after(async () => {
      await Promise.all((await driver.list()).map(({ id }) => driver.destroy(id)));
    });
    return driver;
  },
};

export const instanceDrivers: readonly TestDriver[] = [
  {
    name: 'command, with a fake Odoo',
    skip: process.platform === 'linux' ? false : 'finds processes in /proc',
    make: (t) => makeInstances(t),
  },
  GUILDHALL_TEST_DOCKER === undefined
    ? {
        name: 'docker, against a fake of its API',
        skip: false,
        make: async (t) => (await makeDockerInstances(t)).driver(),
      }
    : realDocker,
  {
    name: 'kubernetes, against a fake of its API',
    skip: false,
    make: async (t) => {
      const { cluster, driver } = await makeKubernetesInstances(t);
      // Every Pod of the fake has the same address.
      return {
        ...driver,
        url: async (id) => (await driver.url(id)) && cluster.addressOf(`guildhall-erp-${id}`),
      };
    },
  },
];
