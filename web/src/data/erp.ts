import { type components, GuildhallError } from '@guildhall/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { guildhall } from './api.ts';

/** Connections to Odoo: what the pages of a project and of a task read, and say of them. */

export type Connection = components['schemas']['OdooConnection'];

/**
 * The server asks another one, which may take ten seconds. Who asks more often than a minute allows
 * sees that at once.
 */
export const ASKING = { timeout: 25_000, retries: 0 };

export const connectionsQuery = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'odoo-connections'],
    queryFn: ({ signal }) =>
      guildhall.get('/api/projects/{project_id}/odoo-connections', { project_id }, { signal }),
    // Others change them, and a task may be at work there.
    refetchInterval: 15_000,
  });

/** Whether a project works with Odoo: pages that are not about it say nothing of it otherwise. */
export const useUsesErp = (project_id: string): boolean =>
  (useQuery({ ...connectionsQuery(project_id), refetchInterval: false }).data?.length ?? 0) > 0;

/** One connection as it is now, with the version that a change is made to. */
export const readConnection = async (project_id: string, connection_id: string) => {
  const { data, etag } = await guildhall
    .get('/api/projects/{project_id}/odoo-connections/{connection_id}', {
      project_id,
      connection_id,
    })
    .withResponse();
  return { connection: data, etag };
};

export const activeConnectionsQuery = (task_id: string) =>
  queryOptions({
    queryKey: ['task', task_id, 'odoo-connections'],
    queryFn: ({ signal }) =>
      guildhall.get('/api/tasks/{task_id}/odoo-connections', { task_id }, { signal }),
    refetchInterval: 15_000,
  });

/** The throwaway Odoo of a task; null where there is none. */
export const instanceQuery = (task_id: string) =>
  queryOptions({
    queryKey: ['task', task_id, 'odoo-instance'],
    queryFn: ({ signal }) =>
      guildhall
        .get('/api/tasks/{task_id}/odoo-instance', { task_id }, { signal })
        .catch((error) => {
          if (GuildhallError.is(error, 'odoo_instance_not_found')) return null;
          throw error;
        }),
  });

export const ENVIRONMENTS: Record<Connection['environment'], string> = {
  production: 'Production',
  staging: 'Staging',
  development: 'Development',
};

/** What an agent may do there. */
export const AGENT_ACCESS: Record<Connection['agent_access'], string> = {
  none: 'Agents may not use it',
  read: 'Agents may read',
  write: 'Agents may read and change data',
};

export const KINDS: Record<Connection['kind'], string> = {
  api_key: 'API key',
  password: 'Password',
};

/** "Odoo 19.0 Enterprise", as far as it is known. */
export const versionOf = ({
  erp_version,
  edition,
}: {
  erp_version?: string | undefined;
  edition: Connection['edition'];
}): string => {
  const words = erp_version === undefined ? 'Odoo, version unknown' : `Odoo ${erp_version}`;
  if (edition === 'unknown') return words;
  return `${words} ${edition === 'enterprise' ? 'Enterprise' : 'Community'}`;
};
