import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { guildhall } from './api.ts';
import { queries } from './queries.ts';

/** What pages of a project read; every key begins with the project. */

export const projectQuery = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id],
    queryFn: ({ signal }) =>
      guildhall.get('/api/projects/{project_id}', { project_id }, { signal }),
  });

export const peopleQuery = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'people'],
    queryFn: ({ signal }) =>
      guildhall.get('/api/projects/{project_id}/people', { project_id }, { signal }),
  });

export const projectInvitationsQuery = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'invitations'],
    queryFn: ({ signal }) =>
      guildhall.get('/api/projects/{project_id}/invitations', { project_id }, { signal }),
  });

export const repositoriesQuery = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'repositories'],
    queryFn: ({ signal }) =>
      guildhall.get('/api/projects/{project_id}/repositories', { project_id }, { signal }),
  });

/** The last import into a repository, read again while it is under way. */
export const importQuery = (project_id: string, repository_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'import', repository_id],
    queryFn: async ({ signal }) => {
      const before = queries.getQueryData<{ import?: { state: string } }>([
        'project',
        project_id,
        'import',
        repository_id,
      ]);
      const now = await guildhall.get(
        '/api/projects/{project_id}/repositories/{repository_id}/import',
        { project_id, repository_id },
        { signal },
      );
      // Its branches, its default branch and the merge targets are others now.
      if (before?.import?.state === 'running' && now.import?.state === 'done')
        void queries.invalidateQueries({ queryKey: ['project', project_id], exact: false });
      return now;
    },
    refetchInterval: ({ state: { data } }) =>
      data?.import?.state === 'queued' || data?.import?.state === 'running' ? 1_000 : false,
  });

export const branchesQuery = (project_id: string, repository_id: string) =>
  infiniteQueryOptions({
    queryKey: ['project', project_id, 'branches', repository_id],
    initialPageParam: { project_id, repository_id, limit: 50 },
    queryFn: ({ pageParam, signal }) =>
      guildhall.page(
        '/api/projects/{project_id}/repositories/{repository_id}/branches',
        pageParam,
        { signal },
      ),
    getNextPageParam: ({ next }) => next as never,
  });

/** The branches that tasks are merged into, with the version of the list. */
export const mergeTargetsQuery = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'merge-targets'],
    queryFn: async ({ signal }) => {
      const { data, etag } = await guildhall
        .get('/api/projects/{project_id}/merge-targets', { project_id }, { signal })
        .withResponse();
      return { targets: data, etag };
    },
  });

export const variablesQuery = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'variables'],
    queryFn: ({ signal }) =>
      guildhall.get('/api/projects/{project_id}/variables', { project_id }, { signal }),
  });

/** The MCP servers that agents are given. */
export const mcpServersQuery = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'mcp-servers'],
    queryFn: ({ signal }) =>
      guildhall.get('/api/projects/{project_id}/mcp-servers', { project_id }, { signal }),
  });

/** What the settings say about where commands run, with their version. */
export const environmentQuery = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'environment'],
    queryFn: async ({ signal }) => {
      const { data, etag } = await guildhall
        .get('/api/projects/{project_id}/environment', { project_id }, { signal })
        .withResponse();
      return { settings: data, etag };
    },
  });

/** The instructions of the project, with their version. */
export const projectInstructionsQuery = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'instructions'],
    queryFn: async ({ signal }) => {
      const { data, etag } = await guildhall
        .get('/api/projects/{project_id}/instructions', { project_id }, { signal })
        .withResponse();
      return { text: data.text, etag };
    },
  });

/** The connected accounts on GitHub: of the workspace, or of the person of a personal project. */
export const installationsQuery = (org_id: string | undefined) =>
  queryOptions({
    queryKey: ['installations', org_id ?? 'own'],
    queryFn: ({ signal }) =>
      org_id === undefined
        ? guildhall.get('/api/github/installations', {}, { signal })
        : guildhall.get('/api/organizations/{org_id}/github/installations', { org_id }, { signal }),
  });

/** The Gitea and Forgejo servers of a workspace; none outside of one. */
export const giteaConnectionsQuery = (org_id?: string) =>
  queryOptions({
    queryKey: ['gitea-connections', org_id],
    queryFn: ({ signal }) =>
      org_id === undefined
        ? []
        : guildhall.get('/api/organizations/{org_id}/gitea/connections', { org_id }, { signal }),
  });

export const githubRepositoriesQuery = (installation_id: number, q: string) =>
  queryOptions({
    queryKey: ['github-repositories', installation_id, q],
    queryFn: async ({ signal }) => {
      const { items } = await guildhall.page(
        '/api/github/installations/{installation_id}/repositories',
        { installation_id, limit: 50, ...(q !== '' && { q }) },
        { signal },
      );
      return items;
    },
  });

export const githubBranchesQuery = (github_repository_id: number) =>
  queryOptions({
    queryKey: ['github-branches', github_repository_id],
    queryFn: async ({ signal }) => {
      const { items } = await guildhall.page(
        '/api/github/repositories/{github_repository_id}/branches',
        { github_repository_id, limit: 50 },
        { signal },
      );
      return items;
    },
  });

/** Everything of a project is read again, where it is on the page. */
export const refreshProject = (project_id: string): Promise<void> =>
  queries.invalidateQueries({ queryKey: ['project', project_id] });
