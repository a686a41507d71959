import { BlockList, isIP } from 'node:net';
import { join } from 'node:path';
import type { ReadSettings, Values } from './read-settings.ts';

/** Where agents work. */
export interface Pods {
  driver: Values['PODS_DRIVER'];
  /** For processes: where they are on this machine, and whether they are confined. */
  folder: string;
  sandbox: Values['PODS_SANDBOX'];
  /** Why confinement is required although the setting only prefers it, as a clause. */
  because: string | undefined;
  /** Where the programs of this machine are looked for. */
  path: string | undefined;
  /** For containers. */
  image: string;
  namespace: string;
  docker: { host: string; certificates: string | undefined };
  kubernetes: { url: string; tokenFile: string; caFile: string };
}

export function pods(
  values: Values,
  env: Record<string, string | undefined>,
  faults: ReadSettings['faults'],
): Pods {
  const { PODS_DRIVER: driver, PODS_IMAGE: image = '', DOCKER_CERT_PATH: certificates } = values;
  if (driver !== 'process' && image === '')
    faults.push(`PODS_IMAGE must be set for PODS_DRIVER=${driver}: the image that agents run in`);
  return {
    driver,
    folder: join(values.DATA_DIR, 'pods'),
    ...sandbox(values),
    path: env.PATH,
    image,
    namespace: values.PODS_NAMESPACE,
    docker: { host: values.DOCKER_HOST ?? 'unix:///var/run/docker.sock', certificates },
    kubernetes: {
      url: values.KUBERNETES_URL,
      tokenFile: values.KUBERNETES_TOKEN_FILE,
      caFile: values.KUBERNETES_CA_FILE,
    },
  };
}

/** Where strangers may be among those who give tasks to agents, `preferred` means `required`. */
function sandbox({
  PODS_SANDBOX: wanted,
  SIGN_UP,
  HOST,
}: Values): Pick<Pods, 'sandbox' | 'because'> {
  const because =
    SIGN_UP === 'open'
      ? 'everyone may sign up (SIGN_UP)'
      : isLoopback(HOST)
        ? undefined
        : 'other machines can reach this server (HOST)';
  return wanted === 'preferred' && because !== undefined
    ? { sandbox: 'required', because }
    : { sandbox: wanted, because: undefined };
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

const isLoopback = (host: string): boolean => {
  const version = isIP(host);
  return version === 0
    ? host === 'localhost'
    : LOOPBACK.check(host, version === 6 ? 'ipv6' : 'ipv4');
};
