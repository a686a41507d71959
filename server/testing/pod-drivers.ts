import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openPods, type PodsConfig, type ProcessPods } from '../platform/pods/open-pods.ts';
import { withoutContainers } from './fakes/containers/container.ts';
import { fakeDocker, IMAGE } from './fakes/containers/docker-server.ts';
import { fakeKubernetes } from './fakes/containers/kubernetes-server.ts';
import { ownPods } from './own-pods.ts';
import { makePods, type TestPods, withoutSandbox } from './pods.ts';

type Elsewhere = Exclude<PodsConfig, ProcessPods>;

type Env = Record<string, string>;

/**
 * Every driver of pods, for the tests of what they have in common. Those of container engines use a
 * fake of the engine's API, or a real engine where the environment names one:
 * GUILDHALL_TEST_DOCKER=1, or GUILDHALL_TEST_KUBERNETES with the address of the API and
 * GUILDHALL_TEST_TOKEN_FILE, GUILDHALL_TEST_CA_FILE and GUILDHALL_TEST_NAMESPACE, which must be one
 * for these tests alone; both with an image of deploy/agent.Dockerfile in GUILDHALL_TEST_PODS_IMAGE.
 */
interface TestDriver {
  name: string;
  /** Its pods are on another machine, as far as the worker can tell. */
  elsewhere: boolean;
  /** Why it cannot be tested on this machine. */
  skip: string | false;
  /**
   * `engine`: that of pods which were made before, instead of one of its own. `env`: what its
   * processes get besides.
   */
  make(t: TestContext, engine?: Elsewhere, env?: Env): Promise<TestPods & { engine?: Elsewhere }>;
}

const { GUILDHALL_TEST_DOCKER, GUILDHALL_TEST_PODS_IMAGE: image = '', DOCKER_HOST } = process.env;
const {
  GUILDHALL_TEST_KUBERNETES: kubernetes = '',
  GUILDHALL_TEST_NAMESPACE: namespace = 'guildhall-test',
} = process.env;

const realDocker: TestDriver = {
  name: 'docker',
  elsewhere: true,
  skip: false,
  make: async (t, _engine, env) => {
    const directory = await makeDirectory();
    const host = DOCKER_HOST ?? 'unix:///var/run/docker.sock';
    // A name of its own, so that tests at one engine do not see each other's pods.
    const namespace = directory.slice(-6).toLowerCase();
    return opened(t, { driver: 'docker', host, image, namespace, env }, directory);
  },
};

const fakeForDocker: TestDriver = {
  name: 'docker, against a fake of its API',
  elsewhere: true,
  skip: withoutContainers,
  make: async (t, engine, env) => {
    const directory = await makeDirectory();
    if (engine !== undefined) return opened(t, engine, directory);
    const { host, close } = await fakeDocker(directory);
    const config = { driver: 'docker', host, image: IMAGE, namespace: 'guildhall', env } as const;
    return opened(t, config, directory, close);
  },
};

const realKubernetes: TestDriver = {
  name: 'kubernetes',
  elsewhere: true,
  skip: false,
  make: async (t, _engine, env) => {
    const { GUILDHALL_TEST_TOKEN_FILE: tokenFile = '', GUILDHALL_TEST_CA_FILE: caFile } =
      process.env;
    const config = { driver: 'kubernetes', url: kubernetes, tokenFile, caFile, image } as const;
    return opened(t, { ...config, namespace, env }, await makeDirectory());
  },
};

const fakeForKubernetes: TestDriver = {
  name: 'kubernetes, against a fake of its API',
  elsewhere: true,
  skip: withoutContainers,
  make: async (t, engine, env) => {
    const directory = await makeDirectory();
    if (engine !== undefined) return opened(t, engine, directory);
    const { url, tokenFile, close } = await fakeKubernetes(directory);
    const config = {
      driver: 'kubernetes',
      url,
      tokenFile,
      caFile: undefined,
      image: IMAGE,
    } as const;
    return opened(t, { ...config, namespace: 'agents', env }, directory, close);
  },
};

export const podDrivers: readonly TestDriver[] = [
  {
    name: 'confined by bubblewrap',
    elsewhere: false,
    skip: await withoutSandbox(),
    make: (t, _engine, env) => makePods(t, { sandbox: 'required', env }),
  },
  {
    name: 'not confined',
    elsewhere: false,
    skip: false,
    make: (t, _engine, env) => makePods(t, { sandbox: 'off', env }),
  },
  GUILDHALL_TEST_DOCKER === undefined ? fakeForDocker : realDocker,
  kubernetes === '' ? fakeForKubernetes : realKubernetes,
];

const makeDirectory = () => mkdtemp(join(tmpdir(), 'guildhall-engine-'));

async function opened(
  t: TestContext,
  config: Elsewhere,
  directory: string,
  closeEngine = async () => {},
): Promise<TestPods & { engine: Elsewhere }> {
  const driver = await openPods(config);
  let own: Awaited<ReturnType<typeof ownPods>> | undefined;
  t.after(async () => {
    await own?.destroyAll();
    await driver.close();
    await closeEngine();
    await rm(directory, { recursive: true, force: true });
  });
  own = await ownPods(driver, `The namespace ${config.namespace}`);
  return Object.assign(own.pods, { directory, engine: config });
}
