import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ErpProgram } from '../../platform/catalog/erp-programs.ts';
import { type Answer, faultOf } from '../../platform/pods/kubernetes/answer.ts';
import type { KubernetesClient } from '../../platform/pods/kubernetes/client.ts';
import {
  type Json,
  nodeOf,
  prospectOf,
  reasonOf,
  stateOf,
} from '../../platform/pods/kubernetes/pod-state.ts';
import { translated } from './engine-errors.ts';
import {
  DATABASE_IMAGE,
  databaseEnvironment,
  imageOf,
  ODOO_COMMAND,
  ODOO_PORT,
  odooEnvironment,
} from './images.ts';
import {
  checkedInstanceId,
  type InstanceDriver,
  InstanceError,
  type InstanceSpec,
  type InstanceState,
  type InstanceStatus,
} from './instance-driver.ts';

/**
 * Instances as Pods of Kubernetes with two containers: Odoo, and its database beside it. Their data
 * are in the Pod, and go with it. A Pod is reached by its address within the cluster.
 */

interface KubernetesInstances {
  client: KubernetesClient;
  programs: readonly ErpProgram[];
  /** The namespace of the cluster that has the pods of this installation, and nothing else. */
  namespace: string;
  /** How long a Pod may take to be gone, in milliseconds. */
  goneWithin?: number;
}

const LABEL = 'guildhall/instance';
const GONE_WITHIN_MS = 60_000;
const LOOK_MS = 250;

export function kubernetesInstances(options: KubernetesInstances): InstanceDriver {
  const { client, programs, namespace, goneWithin = GONE_WITHIN_MS } = options;
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const nameOf = (id: string) => `guildhall-erp-${checkedInstanceId(id)}`;

  const expect = async (asked: Promise<Answer>, ...expected: number[]): Promise<Answer> => {
    const answer = await asked.catch(translated);
    if (!expected.includes(answer.status)) translated(faultOf(answer));
    return answer;
  };
  const get = async (id: string): Promise<Json> => {
    const { status, json } = await expect(client.ask('GET', `${pods}/${nameOf(id)}`), 200, 404);
    return status === 404 ? undefined : json;
  };

  return {
    name: 'kubernetes',

    async create(spec) {
      const pod = podOf(nameOf(spec.id), spec, imageOf(programs, spec.erpVersion));
      // 409: it is there already.
      await expect(client.ask('POST', pods, pod), 201, 409);
      return statusOf(spec.id, await get(spec.id));
    },

    async find(id) {
      checkedInstanceId(id);
      try {
        return statusOf(id, await get(id));
      } catch (error) {
        return { id, state: 'unknown', reason: (error as Error).message };
      }
    },

    // A Pod runs once it is made, or never will.
    async start({ id }) {
      const { state, reason } = statusOf(id, await get(id));
      if (state === 'absent') throw new InstanceError('absent', `there is no instance ${id}`);
      if (state === 'stopped') throw new InstanceError('failed', reason ?? 'Its Pod has ended.');
    },

    async url(id) {
      const address: string | undefined = (await get(id))?.status?.podIP;
      if (address === undefined) return undefined;
      return `http://${address.includes(':') ? `[${address}]` : address}:${ODOO_PORT}`;
    },

    async destroy(id) {
      await expect(client.ask('DELETE', `${pods}/${nameOf(id)}`), 200, 202, 404);
      const deadline = Date.now() + goneWithin;
      for (;;) {
        const pod = await get(id);
        if (pod === undefined) return;
        // Only its node can say that nothing of it runs any more.
        const node = nodeOf(pod);
        const why = node === undefined ? '' : `: node ${node} does not answer`;
        if (node !== undefined || Date.now() > deadline)
          throw new InstanceError('unavailable', `The Pod does not end${why}.`);
        await pause(LOOK_MS);
      }
    },

    async list() {
      const query = `?labelSelector=${encodeURIComponent(LABEL)}`;
      const { json } = await expect(client.ask('GET', pods + query), 200);
      return (json.items ?? []).flatMap((pod: Json) => {
        const id: string | undefined = pod.metadata.labels?.[LABEL];
        return id === undefined ? [] : [statusOf(id, pod)];
      });
    },

    release: async () => undefined,
    close: async () => undefined,
  };
}

/** It needs both of its containers, and its data end with its Pod. */
function statusOf(id: string, pod: Json): InstanceStatus {
  if (pod === undefined) return { id, state: 'absent', reason: undefined };
  return { id, state: instanceStateOf(pod), reason: reasonOf(pod) };
}

function instanceStateOf(pod: Json): InstanceState {
  const { state } = stateOf(pod);
  if (state === 'running' || state === 'unknown') return state;
  return state === 'creating' && prospectOf(pod) === 'later' ? 'starting' : 'stopped';
}

/** What an instance may use; most of the time it uses little. */
const REQUESTS = { cpu: '50m', memory: '256Mi' };
const LIMITS = { cpu: '2', memory: '2Gi', 'ephemeral-storage': '4Gi' };

/** Of all processes, who owns the volume; both images let any user run them. */
const USER = 1000;
const ODOO_DATA = '/var/lib/odoo';
const DATABASE_DATA = '/var/lib/postgresql/data';
const at = (subPath: string, mountPath: string) => ({ name: 'data', subPath, mountPath });

/** The namespace is of this installation alone, so who may read its Pods may read the passwords. */
export function podOf(name: string, { id, database, password }: InstanceSpec, image: string) {
  const databasePassword = hash('sha256', `database ${password}`, 'base64url');
  const values = { host: '127.0.0.1', database, databasePassword, adminPassword: password };
  const container = (env: Record<string, string>, more: object) => ({
    ...more,
    env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
    imagePullPolicy: 'IfNotPresent',
    resources: { requests: REQUESTS, limits: LIMITS },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels: { 'app.kubernetes.io/name': 'guildhall-erp-instance', [LABEL]: id },
    },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 5,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: USER,
        runAsGroup: USER,
        fsGroup: USER,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        container(
          { ...odooEnvironment(values), HOME: ODOO_DATA },
          {
            name: 'odoo',
            image,
            command: ODOO_COMMAND,
            volumeMounts: [at('odoo', ODOO_DATA)],
          },
        ),
        container(
          { ...databaseEnvironment(databasePassword), PGDATA: `${DATABASE_DATA}/pgdata` },
          { name: 'db', image: DATABASE_IMAGE, volumeMounts: [at('db', DATABASE_DATA)] },
        ),
      ],
      volumes: [{ name: 'data', emptyDir: { sizeLimit: '4Gi' } }],
    },
  };
}
