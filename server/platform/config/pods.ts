import { join } from 'node:path';
import { isLoopback } from './loopback.ts';
import { fileVariable } from './secret-files.ts';
import { SECRET_SETTINGS, SETTINGS, type Values } from './settings.ts';

type Env = Record<string, string | undefined>;

interface Other {
  faults: string[];
  /** Variables with the keys of providers. */
  keyNames: readonly string[];
}

/** Where agents work. */
export function pods(values: Values, env: Env, { faults, keyNames }: Other) {
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
    /** Variables of the server that processes of pods get, too. */
    env: passedOn(values.PODS_ENV ?? [], env, { faults, keyNames }),
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

/** Set by the pod itself, or read by what the server is made of: credentials of databases and stores. */
const NOT_PASSED = /^(PATH|HOME|LANG|TMPDIR|GUILDHALL_.*|PG.*|AWS_.*|OTEL_.*)$/;

/** What is not set is left out. No message repeats a value. */
function passedOn(names: string[], env: Env, { faults, keyNames }: Other): Record<string, string> {
  const refused = names.filter(
    (name) =>
      name in SETTINGS ||
      SECRET_SETTINGS.map(fileVariable).includes(name) ||
      NOT_PASSED.test(name) ||
      keyNames.includes(name),
  );
  for (const name of refused)
    faults.push(
      `PODS_ENV must not name ${name}: ` +
        (keyNames.includes(name)
          ? 'it holds the key of a provider, and agents would get it'
          : 'it is a setting of the server, or one that pods have of their own'),
    );
  const passed = names.filter((name) => !refused.includes(name));
  return Object.fromEntries(
    passed.flatMap((name) => {
      const value = env[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/** Why strangers may be among those who give tasks to agents. */
function strangers({ SIGN_UP, HOST }: Values): string | undefined {
  if (SIGN_UP === 'open') return 'everyone may sign up (SIGN_UP)';
  return isLoopback(HOST) ? undefined : 'other machines can reach this server (HOST)';
}

/** What every project reaches, in which purposes it adds nothing, and what is not public. */
export const network = (values: Values) => ({
  hosts: {
    setup: values.PODS_NETWORK_SETUP ?? [],
    agent: values.PODS_NETWORK_AGENT ?? [],
    checks: values.PODS_NETWORK_CHECKS ?? [],
    deploy: values.PODS_NETWORK_DEPLOY ?? [],
  },
  fixed: values.PODS_NETWORK_FIXED ?? [],
  privateNetworks: values.PODS_NETWORK_PRIVATE ?? [],
});
