import type { OfConnection } from '../access/odoo-connection.ts';

/** What a connection's secret is bound to: its row, its project and the origin of its address. */
export const contextOf = ({
  connection_id,
  project_id,
  url,
}: Pick<OfConnection, 'connection_id' | 'project_id' | 'url'>): string =>
  `odoo_connection ${connection_id} ${project_id} ${new URL(url).origin}`;
