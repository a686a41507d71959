import type { Sealing } from '../../../platform/sealing/sealing.ts';

/** What the operations of browsers that want to be told are given. */
export interface PushServices {
  /** Seals the addresses of browsers. */
  pushSealing: Sealing;
  /** Whether these may be without TLS. */
  httpPush: boolean;
}
