import { RemoteFailed } from '../repositories/remote.ts';
import { HostError } from './host-error.ts';

/** What a host is asked before git talks to it. Throws RemoteFailed instead of a HostError. */
export async function askedForRemote<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    throw new RemoteFailed(`${error.message}.`, error.passes, { cause: error });
  }
}
