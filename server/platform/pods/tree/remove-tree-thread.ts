import { serve } from '../../threads/serve.ts';
import { ALONE } from './disk.ts';
import type { Removal, Removed } from './remove-large-tree.ts';
import { isRemoved } from './remove-tree.ts';

/** Removes folders, in a thread of its own. */
serve(({ path, within, stop }: Removal): Promise<Removed> => {
  const throwIfAborted = () => {
    // Nobody waits for the reason.
    if (Atomics.load(stop, 0) !== 0) throw new Error(`the removal of ${path} was stopped`);
  };
  const options = { within, disk: ALONE, signal: { throwIfAborted } };
  return isRemoved(path, options).catch(({ code, message }) => ({ code, message }));
});
