import type { PodLimits } from '../limits.ts';
import { HOME, SOCKETS, WORK_TREE } from '../places.ts';
import { CONTAINERS, IDLE, USER } from '../remote/engine.ts';

/** The objects of a pod: a claim for its files, and a Pod while it runs. */

export const LABEL_POD = 'guildhall/pod';
const COMMON = { 'app.kubernetes.io/name': 'guildhall-agent' };

const metadata = (name: string, id: string) => ({
  name,
  labels: { ...COMMON, [LABEL_POD]: id },
});

/** On the claim: the image of the pod. */
export const IMAGE_OF_POD = 'guildhall/image';

export const claimOf = (name: string, id: string, image: string, limits: PodLimits) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { ...metadata(name, id), annotations: { [IMAGE_OF_POD]: image } },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: String(limits.disk) } },
  },
});

/** What the scheduler sets aside for each container; most of the time two of three are idle. */
const REQUESTS = { cpu: '50m', memory: '128Mi' };
const FILES_MEMORY = '512Mi';

/** `claim`: the uid of its claim. */
export function podOf(name: string, id: string, image: string, limits: PodLimits, claim: string) {
  const large = { cpu: String(limits.cpus), memory: String(limits.memory) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata(name, id),
      // A drain leaves alone what has no controller, because nothing would start it again: whoever
      // uses the pod does.
      ownerReferences: [
        { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, uid: claim, controller: true },
      ],
    },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      // No process of it handles a signal.
      terminationGracePeriodSeconds: 1,
      hostname: 'pod',
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['127.0.0.1'] },
      securityContext: {
        runAsNonRoot: true,
        runAsUser: USER,
        runAsGroup: USER,
        fsGroup: USER,
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: CONTAINERS.map((which) => ({
        name: which,
        image,
        command: IDLE,
        workingDir: WORK_TREE,
        imagePullPolicy: 'IfNotPresent',
        resources: {
          requests: REQUESTS,
          limits: which === 'files' ? { cpu: '1', memory: FILES_MEMORY } : large,
        },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        volumeMounts: [
          { name: 'files', subPath: 'work', mountPath: WORK_TREE, readOnly: which === 'plan' },
          ...(which === 'files' ? [] : [{ name: 'files', subPath: 'home', mountPath: HOME }]),
          { name: 'memory', subPath: `tmp-${which}`, mountPath: '/tmp' },
          { name: 'memory', subPath: `run-${which}`, mountPath: SOCKETS },
        ],
      })),
      volumes: [
        { name: 'files', persistentVolumeClaim: { claimName: name } },
        { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '768Mi' } },
      ],
    },
  };
}
