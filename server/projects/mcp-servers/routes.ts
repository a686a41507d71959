import type { Route } from '../../http/route.ts';
import type { OperatorsHosts } from '../network.ts';
import { deleteMcpServer } from './delete-mcp-server.ts';
import { listMcpServers } from './list-mcp-servers.ts';
import { mcpServer } from './mcp-server.ts';
import { setMcpServer } from './set-mcp-server.ts';

export function mcpServerRoutes({ network }: { network: OperatorsHosts }): Route[] {
  const server = mcpServer(network);
  return [listMcpServers(server), setMcpServer(server), deleteMcpServer];
}
