import type { Sealing } from '../../platform/sealing/sealing.ts';
import type { AskServer } from './probing.ts';

/** What the operations of connections are given. */
export interface ConnectionServices {
  askOdoo: AskServer;
  connectionSealing: Sealing;
  httpConnections: boolean;
}
