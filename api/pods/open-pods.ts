import { DEFAULT_LIMITS, type PodLimits } from './limits.ts';
import type { PodDriver } from './pod.ts';
import { processDriver } from './process/process-driver.ts';
import { openSandbox } from './process/sandbox.ts';

export interface PodsConfig {
  driver: 'process';
  /** Where the driver keeps pods on this machine; made when it is missing. */
  directory: string;
  /**
   * Whether processes of pods are confined by bubblewrap. `required`: without it, `openPods`
   * rejects. `preferred`: without it, they are child processes that nothing keeps from reading
   * what their user may read.
   */
  sandbox: 'required' | 'preferred' | 'off';
  limits?: Partial<PodLimits>;
  /** What an operator should know, such as a sandbox that does not work here. */
  onWarning?: (sentence: string) => void;
}

/** Opens the driver of the configuration. Rejects with an Error that says what to change. */
export async function openPods(config: PodsConfig): Promise<PodDriver> {
  const { directory, sandbox: wanted, onWarning = () => undefined } = config;
  const limits = { ...DEFAULT_LIMITS, ...config.limits };
  return processDriver({
    directory,
    limits,
    sandbox: await openSandbox({ directory, wanted, onWarning }),
  });
}
