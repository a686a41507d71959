import { label, oneOf, path, text, url, webAddress, wholeNumber } from './readers.ts';
import { optional, setting } from './setting.ts';

/** The environment variables of tasks: their turns, and the pods that agents work in. */
export const TASK_SETTINGS = {
  TASK_TURNS_AT_ONCE: setting(
    wholeNumber(1, 1_000),
    '4',
    'how many turns of tasks one process carries out at once; each has an agent with its ' +
      'processes ([tasks](#tasks))',
  ),
  TASK_TURN_TIMEOUT_MIN: setting(
    wholeNumber(1, 10_080),
    '120',
    'how many minutes a turn may take, without the time in which it waits for an answer',
  ),
  PODS_IDLE_MIN: setting(
    wholeNumber(10, 525_600),
    '1440',
    'how many minutes a pod is kept that no turn uses: its work is committed before',
  ),
  PODS_DRIVER: setting(
    oneOf(['process', 'docker', 'kubernetes']),
    'process',
    'where agents work: in processes of this machine, or in containers of a Docker engine or of ' +
      'Kubernetes ([pods](#pods))',
  ),
  PODS_IMAGE: optional(
    text,
    'the image of containers for agents, built from `deploy/agent.Dockerfile`',
  ),
  PODS_NAMESPACE: setting(
    label,
    'guildhall',
    'tells the pods of this installation from those of others at the same Docker engine; in ' +
      'Kubernetes, the namespace that has them',
  ),
  DOCKER_HOST: optional(
    url('unix:', 'tcp:'),
    'the Docker engine: `unix:///path`, or `tcp://name:port` with `DOCKER_CERT_PATH`',
    '`unix:///var/run/docker.sock`',
  ),
  DOCKER_CERT_PATH: optional(
    path,
    'a folder with `ca.pem`, `cert.pem` and `key.pem`, for a Docker engine at a `tcp:` address',
  ),
  KUBERNETES_URL: setting(
    webAddress,
    'https://kubernetes.default.svc',
    'the API of Kubernetes; the default is its address within the cluster',
  ),
  KUBERNETES_TOKEN_FILE: setting(
    path,
    '/var/run/secrets/kubernetes.io/serviceaccount/token',
    'the token for it, read for each call; the default is that of the service account',
  ),
  KUBERNETES_CA_FILE: setting(
    path,
    '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt',
    'the authority that has signed its certificate',
  ),
  PODS_SANDBOX: setting(
    oneOf(['required', 'preferred', 'off']),
    'preferred',
    'whether bubblewrap confines the processes of agents on this machine: with `required`, no ' +
      'task is carried out without it; with `preferred`, it is required where strangers may give ' +
      'tasks (`SIGN_UP=open`, a `HOST` that is not the loopback, or `guildhall work`, which knows ' +
      'neither), and elsewhere its absence is said at the start; ' +
      'with `off`, it is not used, and agents have the rights of their user on this machine',
  ),
};
