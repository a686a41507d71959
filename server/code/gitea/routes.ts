import { createGiteaConnection, type GiteaServices } from './create-gitea-connection.ts';
import { deleteGiteaConnection } from './delete-gitea-connection.ts';
import { listGiteaConnections } from './list-gitea-connections.ts';

/** Which servers of Gitea and Forgejo a workspace may use. */
export const giteaRoutes = (services: GiteaServices) => [
  listGiteaConnections,
  createGiteaConnection(services),
  deleteGiteaConnection,
];
