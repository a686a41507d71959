import type { KubernetesPlace } from './kubernetes/client.ts';
import { DEFAULT_LIMITS, type PodLimits } from './limits.ts';
import type { Pod, PodDriver } from './pod.ts';
import { openPodsPlace } from './process/pods-place.ts';
import { processDriver } from './process/process-driver.ts';
import { openSandbox, podUser } from './process/sandbox.ts';

export type PodsConfig = ProcessPods | DockerPods | KubernetesPods;

interface Common {
  limits?: Partial<PodLimits>;
  /** What every process of a pod gets in its environment, unless its command says otherwise. */
  env?: Readonly<Record<string, string>> | undefined;
  /** What an operator should know, such as a sandbox that does not work here. */
  onWarning?: (sentence: string) => void;
  /** Told where pods of this machine are when they cannot be in their folder. */
  onMoved?: (sentence: string) => void;
}

export interface ProcessPods extends Common {
  driver: 'process';
  /** Where the driver keeps pods on this machine; made when it is missing. */
  directory: string;
  /**
   * Whether processes of pods are confined by bubblewrap. `required`: without it, `openPods`
   * rejects. `preferred`: without it, they are child processes that nothing keeps from reading
   * what their user may read.
   */
  sandbox: 'required' | 'preferred' | 'off';
  /** Why it is required where the operator has not asked for it, as a clause. */
  because?: string | undefined;
  /** Where bubblewrap is looked for, as in PATH; in the folders of the system by default. */
  path?: string | undefined;
}

interface DockerPods extends Common {
  driver: 'docker';
  /** As in DOCKER_HOST: `unix:///path`, or `tcp://name:port`. */
  host: string;
  /** As in DOCKER_CERT_PATH: a folder with ca.pem, cert.pem and key.pem. */
  certificates?: string | undefined;
  image: string;
  /** Tells the pods of this installation from those of others at the same engine. */
  namespace: string;
}

interface KubernetesPods extends Common, KubernetesPlace {
  driver: 'kubernetes';
  image: string;
  /** The namespace of the cluster for pods. */
  namespace: string;
}

/** Opens the driver of the configuration. Rejects with an Error that says what to change. */
export async function openPods(config: PodsConfig): Promise<PodDriver> {
  const driver = await openDriver(config);
  const { env } = config;
  return env === undefined || Object.keys(env).length === 0 ? driver : withEnv(driver, env);
}

/** The driver, whose pods add these variables to the environment of each process. */
function withEnv(driver: PodDriver, env: Readonly<Record<string, string>>): PodDriver {
  const adding = (pod: Pod): Pod => ({
    ...pod,
    exec: (command) => pod.exec({ ...command, env: { ...env, ...command.env } }),
  });
  return {
    ...driver,
    start: async (id) => adding(await driver.start(id)),
    attach: async (id) => adding(await driver.attach(id)),
  };
}

async function openDriver(config: PodsConfig): Promise<PodDriver> {
  const limits = { ...DEFAULT_LIMITS, ...config.limits };
  if (config.driver === 'docker') return openDocker(config, limits);
  if (config.driver === 'kubernetes') return openKubernetes(config, limits);
  const { sandbox: wanted, because, path, onMoved = () => {}, onWarning = () => {} } = config;
  const directory = await openPodsPlace(config.directory, podUser(), onMoved);
  return processDriver({
    directory,
    limits,
    sandbox: await openSandbox({ directory, wanted, because, path, onWarning }),
  });
}

/** Its modules are loaded when they are needed, and only then. */
async function openDocker(
  { host, certificates, image, namespace }: DockerPods,
  limits: PodLimits,
): Promise<PodDriver> {
  const { dockerClient } = await import('./docker/client.ts');
  const { dockerEngine } = await import('./docker/docker-engine.ts');
  const { remoteDriver } = await import('./remote/remote-driver.ts');
  const client = await dockerClient(host, certificates);
  return remoteDriver(dockerEngine({ client, image, namespace, limits }));
}

async function openKubernetes(
  { url, tokenFile, caFile, image, namespace }: KubernetesPods,
  limits: PodLimits,
): Promise<PodDriver> {
  const { kubernetesClient } = await import('./kubernetes/client.ts');
  const { kubernetesEngine } = await import('./kubernetes/kubernetes-engine.ts');
  const { remoteDriver } = await import('./remote/remote-driver.ts');
  const client = kubernetesClient({ url, tokenFile, caFile });
  return remoteDriver(kubernetesEngine({ client, image, namespace, limits }));
}
