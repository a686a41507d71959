/** What one pod may use. A driver enforces what it can and says the rest in `Pod.isolation`. */
export interface PodLimits {
  /** Processes and threads at once. */
  processes: number;
  /** Bytes of memory of all its processes. */
  memory: number;
  /** Processors at once; the driver of processes on this machine does not limit them. */
  cpus: number;
  /** Bytes of its work tree and home folder. */
  disk: number;
}

const MiB = 1024 ** 2;

export const DEFAULT_LIMITS: PodLimits = {
  processes: 512,
  memory: 4096 * MiB,
  cpus: 2,
  disk: 10_240 * MiB,
};

/** "4 GiB" or "512 MiB", for sentences. */
export const inBytes = (bytes: number): string =>
  bytes % (1024 * MiB) === 0 ? `${bytes / (1024 * MiB)} GiB` : `${Math.round(bytes / MiB)} MiB`;
