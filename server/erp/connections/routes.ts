import type { Route } from '../../http/route.ts';
import { activateConnection } from './activate-connection.ts';
import { createConnection } from './create-connection.ts';
import { deactivateConnection } from './deactivate-connection.ts';
import { deleteConnection } from './delete-connection.ts';
import { getConnection } from './get-connection.ts';
import { listConnections } from './list-connections.ts';
import { listTaskConnections } from './list-task-connections.ts';
import { probeConnection } from './probe-connection.ts';
import type { ConnectionServices } from './services.ts';
import { updateConnection } from './update-connection.ts';

export const connectionRoutes = (services: ConnectionServices): Route[] => [
  listConnections,
  createConnection(services),
  getConnection,
  updateConnection(services),
  deleteConnection,
  probeConnection(services),
  listTaskConnections,
  activateConnection,
  deactivateConnection,
];
