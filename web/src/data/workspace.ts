import type { components } from '@guildhall/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { guildhall } from './api.ts';
import { projectsQuery } from './lists.ts';
import { queries } from './queries.ts';

/** What pages of a workspace read; every key begins with the workspace. */

export const workspaceQuery = (org_id: string) =>
  queryOptions({
    queryKey: ['workspace', org_id],
    queryFn: ({ signal }) => guildhall.get('/api/organizations/{org_id}', { org_id }, { signal }),
  });

/** The instructions of the workspace, with their version. */
export const workspaceInstructionsQuery = (org_id: string) =>
  queryOptions({
    queryKey: ['workspace', org_id, 'instructions'],
    queryFn: async ({ signal }) => {
      const { data, etag } = await guildhall
        .get('/api/organizations/{org_id}/instructions', { org_id }, { signal })
        .withResponse();
      return { text: data.text, etag };
    },
  });

export type Member = components['schemas']['Member'];

/** The first members whose name or address has this in it, to choose one of them. */
export const membersQuery = (org_id: string, q = '') =>
  queryOptions({
    queryKey: ['workspace', org_id, 'members', 'first', q],
    queryFn: ({ signal }) =>
      guildhall.page(
        '/api/organizations/{org_id}/members',
        { org_id, limit: 20, ...(q && { q }) },
        { signal },
      ),
    placeholderData: (former) => former,
  });

export const rolesQuery = (org_id: string) =>
  queryOptions({
    queryKey: ['workspace', org_id, 'roles'],
    queryFn: ({ signal }) =>
      guildhall.get('/api/organizations/{org_id}/roles', { org_id }, { signal }),
  });

export const invitationsQuery = (org_id: string) =>
  queryOptions({
    queryKey: ['workspace', org_id, 'invitations'],
    queryFn: async ({ signal }) => {
      const of = (status: 'pending' | 'expired') =>
        guildhall.get('/api/organizations/{org_id}/invitations', { org_id, status }, { signal });
      return (await Promise.all([of('pending'), of('expired')])).flat();
    },
  });

export const teamsQuery = (org_id: string) =>
  queryOptions({
    queryKey: ['workspace', org_id, 'teams'],
    queryFn: ({ signal }) =>
      guildhall.get('/api/organizations/{org_id}/teams', { org_id }, { signal }),
  });

export const teamQuery = (org_id: string, team_id: string) =>
  queryOptions({
    queryKey: ['workspace', org_id, 'teams', team_id],
    queryFn: ({ signal }) =>
      guildhall.get('/api/organizations/{org_id}/teams/{team_id}', { org_id, team_id }, { signal }),
  });

export const teamMembersQuery = (org_id: string, team_id: string) =>
  queryOptions({
    queryKey: ['workspace', org_id, 'teams', team_id, 'members'],
    queryFn: ({ signal }) =>
      guildhall.get(
        '/api/organizations/{org_id}/teams/{team_id}/members',
        { org_id, team_id },
        { signal },
      ),
  });

export const teamProjectsQuery = (org_id: string, team_id: string) =>
  queryOptions({
    queryKey: ['workspace', org_id, 'teams', team_id, 'projects'],
    queryFn: ({ signal }) =>
      guildhall.get(
        '/api/organizations/{org_id}/teams/{team_id}/projects',
        { org_id, team_id },
        { signal },
      ),
  });

/** The members in pages, for lists that a person reads. */
export const memberPagesQuery = (
  org_id: string,
  filter: { q?: string; role?: string; team_id?: string },
) =>
  infiniteQueryOptions({
    queryKey: ['workspace', org_id, 'members', 'pages', filter],
    initialPageParam: { org_id, limit: 50, ...filter },
    queryFn: ({ pageParam, signal }) =>
      guildhall.page('/api/organizations/{org_id}/members', pageParam, { signal }),
    getNextPageParam: ({ next }) => (next && { ...next, limit: 200 }) as never,
    // The former list stays while the next one is read, so that nothing jumps.
    placeholderData: (former) => former,
  });

/** Everything of a workspace is read again, and the lists that show it. */
export async function refreshWorkspace(org_id: string): Promise<void> {
  await Promise.all(
    [['workspace', org_id], ['workspaces']].map((queryKey) =>
      queries.invalidateQueries({ queryKey }),
    ),
  );
}

/** Before the first page is shown: it asks for nothing of a workspace that is gone for this person. */
export function leaveOutWorkspace(org_id: string): void {
  queries.setQueryData(projectsQuery.queryKey, (projects) =>
    projects?.filter(({ organization_id }) => organization_id !== org_id),
  );
}

/** A workspace that is gone for this person: nothing of it is kept or read again. */
export async function forgetWorkspace(org_id: string): Promise<void> {
  queries.removeQueries({ queryKey: ['workspace', org_id] });
  await Promise.all(
    ['workspaces', 'projects', 'inbox'].map((key) =>
      queries.invalidateQueries({ queryKey: [key] }),
    ),
  );
}
