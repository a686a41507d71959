import type { PodLimits } from '../limits.ts';
import { HOME, SOCKETS, WORK_TREE } from '../places.ts';
import { type ContainerName, IDLE, USER } from '../remote/engine.ts';

interface Container {
  which: ContainerName;
  image: string;
  limits: PodLimits;
  labels: Record<string, string>;
  /** Names of volumes. */
  volumes: { work: string; home: string };
}

const MiB = 1024 ** 2;
const TEMPORARY_BYTES = 256 * MiB;
/** For a program that reads and writes files, and nothing that an agent has brought. */
const FILES_MEMORY = 512 * MiB;

/**
 * The body of POST /containers/create. Nothing is mounted but the pod's own volumes, so that a
 * container can reach neither the machine nor the engine.
 */
export function containerOf({ which, image, limits, labels, volumes }: Container) {
  const mount = (Source: string, Target: string, ReadOnly: boolean) => ({
    Type: 'volume',
    Source,
    Target,
    ReadOnly,
  });
  const memory = which === 'files' ? FILES_MEMORY : limits.memory;
  const inMemory = `rw,nosuid,nodev,uid=${USER},gid=${USER},mode=0700`;
  return {
    Image: image,
    Entrypoint: IDLE,
    Cmd: [],
    User: `${USER}:${USER}`,
    WorkingDir: WORK_TREE,
    Hostname: 'pod',
    Labels: labels,
    HostConfig: {
      NetworkMode: 'none',
      IpcMode: 'private',
      CgroupnsMode: 'private',
      ReadonlyRootfs: true,
      Privileged: false,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges:true'],
      RestartPolicy: { Name: 'no' },
      // What agents print goes through exec, and is no log.
      LogConfig: { Type: 'none', Config: {} },
      PidsLimit: limits.processes,
      Memory: memory,
      MemorySwap: memory,
      NanoCpus: limits.cpus * 1e9,
      Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
      Mounts: [
        mount(volumes.work, WORK_TREE, which === 'plan'),
        ...(which === 'files' ? [] : [mount(volumes.home, HOME, false)]),
      ],
      Tmpfs: {
        '/tmp': `${inMemory},size=${TEMPORARY_BYTES}`,
        [SOCKETS]: `${inMemory},noexec,size=${MiB}`,
      },
    },
  };
}
