import type { Sealing } from '../../platform/sealing/sealing.ts';
import type { AskServer } from './probing.ts';

/** What the operations on connections need beside the database. */
export interface ConnectionDeps {
  /** Asks a server that a caller chose. */
  ask: AskServer;
  sealing: Sealing;
  /** Whether the operator lets secrets be sent without TLS. */
  allowHttp: boolean;
}
