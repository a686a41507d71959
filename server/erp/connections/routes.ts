import type { Route } from '../../http/route.ts';
import { activateConnection } from './activate-connection.ts';
import type { ConnectionDeps } from './connection-deps.ts';
import { createConnection } from './create-connection.ts';
import { deactivateConnection } from './deactivate-connection.ts';
import { deleteConnection } from './delete-connection.ts';
import { getConnection } from './get-connection.ts';
import { listConnections } from './list-connections.ts';
import { listTaskConnections } from './list-task-connections.ts';
import { probeConnection } from './probe-connection.ts';
import { updateConnection } from './update-connection.ts';

export const connectionRoutes = (deps: ConnectionDeps): Route[] => [
  listConnections,
  createConnection(deps),
  getConnection,
  updateConnection(deps),
  deleteConnection,
  probeConnection(deps),
  listTaskConnections,
  activateConnection,
  deactivateConnection,
];
