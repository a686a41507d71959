import { resolve } from '../git/bare.ts';
import { readCommit } from '../git/commits.ts';
import { pageOf } from '../pages.ts';
import { errorBody, notFound } from '../refusals.ts';
import { repositoryRoute } from '../router.ts';
import { commitShape } from '../shapes/commits.ts';
import { fullRepositoryShape } from '../shapes/repositories.ts';
import { fullName } from '../state.ts';

const UNPROTECTED = {
  enabled: false,
  required_status_checks: { enforcement_level: 'off', contexts: [], checks: [] },
};

/** Repositories, their branches and commits. */
export const REPOSITORY_ROUTES = [
  repositoryRoute('get', '/repos/{owner}/{repo}', { metadata: 'read' })(({ repository, at }) => ({
    status: 200,
    body: fullRepositoryShape(repository, at),
  })),

  repositoryRoute('get', '/repos/{owner}/{repo}/branches', { contents: 'read' })((call) => {
    const { repository, at, query, self } = call;
    const names = [...repository.branches].sort(([a], [b]) => (a < b ? -1 : 1));
    const { items, headers } = pageOf(names, query, self);
    const url = `${at.api}/repos/${fullName(repository)}`;
    const body = items.map(([name, sha]) => ({
      name,
      commit: { sha, url: `${url}/commits/${sha}` },
      protected: repository.required.has(name),
    }));
    return { status: 200, body, headers };
  }),

  repositoryRoute('get', '/repos/{owner}/{repo}/branches/{branch}', { contents: 'read' })(
    async ({ repository, at, params }) => {
      const name = params.branch ?? '';
      const sha = repository.branches.get(name);
      if (sha === undefined) return { status: 404, body: errorBody(404, 'Branch not found') };
      const url = `${at.api}/repos/${fullName(repository)}/branches/${encodeURIComponent(name)}`;
      const commit = await readCommit(repository.gitDir, sha);
      return {
        status: 200,
        body: {
          name,
          commit: commitShape(commit, repository, at),
          _links: { self: url, html: `${at.web}/${fullName(repository)}/tree/${name}` },
          protected: repository.required.has(name),
          protection: UNPROTECTED,
          protection_url: `${url}/protection`,
        },
      };
    },
  ),

  repositoryRoute('get', '/repos/{owner}/{repo}/git/ref/{ref}', { contents: 'read' })(
    ({ repository, at, params }) => {
      const ref = params.ref ?? '';
      const sha = repository.branches.get(ref.replace(/^heads\//, ''));
      if (sha === undefined || !ref.startsWith('heads/'))
        return { status: 404, body: errorBody(404, 'Not Found') };
      const url = `${at.api}/repos/${fullName(repository)}/git`;
      return {
        status: 200,
        body: {
          ref: `refs/${ref}`,
          node_id: Buffer.from(`REF:${repository.id}:${ref}`).toString('base64url'),
          url: `${url}/refs/${ref}`,
          object: { type: 'commit', sha, url: `${url}/commits/${sha}` },
        },
      };
    },
  ),

  repositoryRoute('get', '/repos/{owner}/{repo}/commits/{ref}', { contents: 'read' })(
    async ({ repository, at, params }) => {
      const sha = await resolve(repository.gitDir, params.ref ?? '');
      if (sha === undefined) throw notFound();
      const commit = await readCommit(repository.gitDir, sha);
      return { status: 200, body: commitShape(commit, repository, at) };
    },
  ),
];
