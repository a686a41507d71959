import { join } from 'node:path';
import type { ReadSettings, Values } from './read-settings.ts';

/** Where agents work. */
export interface Pods {
  driver: Values['PODS_DRIVER'];
  /** For processes: where they are on this machine, and whether they are confined. */
  folder: string;
  sandbox: Values['PODS_SANDBOX'];
  /** For containers. */
  image: string;
  namespace: string;
  docker: { host: string; certificates: string | undefined };
  kubernetes: { url: string; tokenFile: string; caFile: string };
}

export function pods(values: Values, faults: ReadSettings['faults']): Pods {
  const { PODS_DRIVER: driver, PODS_IMAGE: image = '', DOCKER_CERT_PATH: certificates } = values;
  if (driver !== 'process' && image === '')
    faults.push(`PODS_IMAGE must be set for PODS_DRIVER=${driver}: the image that agents run in`);
  return {
    driver,
    folder: join(values.DATA_DIR, 'pods'),
    sandbox: values.PODS_SANDBOX,
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
