import { join } from 'node:path';
import { isLoopback } from './loopback.ts';
import type { Values } from './settings.ts';

/** Where agents work. */
export function pods(values: Values, env: Record<string, string | undefined>, faults: string[]) {
  const { PODS_DRIVER: driver, PODS_IMAGE: image = '' } = values;
  if (driver !== 'process' && image === '')
    faults.push(`PODS_IMAGE must be set for PODS_DRIVER=${driver}: the image that agents run in`);
  const because = values.PODS_SANDBOX === 'preferred' ? strangers(values) : undefined;
  return {
    driver,
    /** For processes: where they are on this machine, and whether they are confined. */
    folder: join(values.DATA_DIR, 'pods'),
    sandbox: because === undefined ? values.PODS_SANDBOX : ('required' as const),
    /** Why confinement is required although the setting only prefers it, as a clause. */
    because,
    /** Where the programs of this machine are looked for. */
    path: env.PATH,
    /** For containers. */
    image,
    namespace: values.PODS_NAMESPACE,
    docker: {
      host: values.DOCKER_HOST ?? 'unix:///var/run/docker.sock',
      certificates: values.DOCKER_CERT_PATH,
    },
    kubernetes: {
      url: values.KUBERNETES_URL,
      tokenFile: values.KUBERNETES_TOKEN_FILE,
      caFile: values.KUBERNETES_CA_FILE,
    },
  };
}

/** Why strangers may be among those who give tasks to agents. */
function strangers({ SIGN_UP, HOST }: Values): string | undefined {
  if (SIGN_UP === 'open') return 'everyone may sign up (SIGN_UP)';
  return isLoopback(HOST) ? undefined : 'other machines can reach this server (HOST)';
}
