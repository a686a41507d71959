import { PodError } from '../../platform/pods/pod.ts';
import { InstanceError } from './instance-driver.ts';

/** Throws an error of a client of a container engine, which is that of pods, as one of instances. */
export function translated(error: unknown): never {
  if (!(error instanceof PodError)) throw error;
  const code = error.code === 'unavailable' ? 'unavailable' : 'failed';
  throw new InstanceError(code, error.message, { cause: error });
}
