import { serve } from '../../threads/serve.ts';
import { ALONE } from './disk.ts';
import type { Removal, Removed } from './remove-large-tree.ts';
import { isRemoved } from './remove-tree.ts';

/** Removes folders, in a thread of its own. */
serve(
  ({ path, within }: Removal): Promise<Removed> =>
    isRemoved(path, { within, disk: ALONE }).catch(({ code, message }) => ({ code, message })),
);
