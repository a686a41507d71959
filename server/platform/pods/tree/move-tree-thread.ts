import { serveStreams } from '../../threads/serve-streams.ts';
import type { TreeBounds } from '../pod.ts';
import { ALONE } from './disk.ts';
import type { Move } from './move-large-tree.ts';
import { packTree } from './pack.ts';
import { unpackTree } from './unpack.ts';

/** Packs and unpacks work trees, in a thread of its own. */
serveStreams(({ pack, root, bounds }: Move, archive) =>
  pack ? packTree(root, bounds, ALONE) : unpack(root, archive, bounds),
);

async function* unpack(root: string, archive: AsyncIterable<Uint8Array>, bounds: TreeBounds) {
  await unpackTree(root, archive, bounds, ALONE);
  yield* [];
}
