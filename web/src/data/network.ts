import type { components } from '@guildhall/client';
import { queryOptions } from '@tanstack/react-query';
import { guildhall } from './api.ts';
import { refreshProject } from './project.ts';

export type Network = components['schemas']['Network'];

/** What the network is reached for, in the order of the page, each with its name. */
export const PURPOSES = {
  setup: 'Setup',
  agent: 'Agents',
  checks: 'Checks',
  deploy: 'Deploys',
} as const;

export type Purpose = keyof typeof PURPOSES;

export const isPurpose = (text: unknown): text is Purpose =>
  typeof text === 'string' && Object.hasOwn(PURPOSES, text);

/** What a project reaches of the network, with the version of its lists. */
export const networkQuery = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'network'],
    queryFn: async ({ signal }) => {
      const { data, etag } = await guildhall
        .get('/api/projects/{project_id}/network', { project_id }, { signal })
        .withResponse();
      return { network: data, etag };
    },
  });

/** Replaces lists. The ETag keeps a change that another person made meanwhile. */
export async function setNetwork(
  project_id: string,
  body: Partial<Record<Purpose, string[]>>,
  etag: string | undefined,
  sent?: () => void,
): Promise<void> {
  try {
    await guildhall.put(
      '/api/projects/{project_id}/network',
      { project_id, body },
      etag === undefined ? {} : { ifMatch: etag },
    );
    sent?.();
  } finally {
    await refreshProject(project_id);
  }
}
