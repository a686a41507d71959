import type { Addresses } from '../state.ts';
import { fullName, type Repository } from '../state.ts';
import type { Schema } from '../typed.ts';
import { nodeId, time, userShape } from './accounts.ts';

/** An App's token has none of a person's permissions. */
const NO_PERMISSIONS = { admin: false, maintain: false, push: false, triage: false, pull: false };

/** Fits where GitHub shows a `repository` and where it shows a `minimal-repository`. */
export function repositoryShape(repository: Repository, at: Addresses) {
  const { id, owner, name, archived, createdAt, updatedAt, pushedAt } = repository;
  return {
    id,
    node_id: nodeId('Repository', id),
    name,
    full_name: fullName(repository),
    owner: userShape(owner, at),
    private: repository.private,
    visibility: repository.private ? ('private' as const) : ('public' as const),
    description: null,
    fork: false,
    ...addressesOf(repository, at),
    mirror_url: null,
    homepage: null,
    language: null,
    license: null,
    forks: 0,
    forks_count: 0,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
    open_issues: openPulls(repository),
    open_issues_count: openPulls(repository),
    size: 1,
    default_branch: repository.defaultBranch,
    is_template: false,
    topics: [],
    has_issues: true,
    has_projects: true,
    has_wiki: true,
    has_pages: false,
    has_downloads: true,
    has_discussions: false,
    archived,
    disabled: false,
    allow_forking: true,
    web_commit_signoff_required: false,
    created_at: time(createdAt),
    updated_at: time(updatedAt),
    pushed_at: time(pushedAt),
    permissions: NO_PERMISSIONS,
  } satisfies Schema<'repository'> & Schema<'minimal-repository'>;
}

export const fullRepositoryShape = (
  repository: Repository,
  at: Addresses,
): Schema<'full-repository'> => ({
  ...repositoryShape(repository, at),
  ...(repository.owner.type === 'Organization'
    ? { organization: userShape(repository.owner, at) }
    : {}),
  subscribers_count: 0,
  network_count: 0,
});

const openPulls = ({ pulls }: Repository): number =>
  [...pulls.values()].filter(({ state }) => state === 'open').length;

function addressesOf(repository: Repository, at: Addresses) {
  const name = fullName(repository);
  const url = `${at.api}/repos/${name}`;
  const html = `${at.web}/${name}`;
  const { host } = new URL(at.web);
  return {
    url,
    html_url: html,
    archive_url: `${url}/{archive_format}{/ref}`,
    assignees_url: `${url}/assignees{/user}`,
    blobs_url: `${url}/git/blobs{/sha}`,
    branches_url: `${url}/branches{/branch}`,
    clone_url: `${html}.git`,
    collaborators_url: `${url}/collaborators{/collaborator}`,
    comments_url: `${url}/comments{/number}`,
    commits_url: `${url}/commits{/sha}`,
    compare_url: `${url}/compare/{base}...{head}`,
    contents_url: `${url}/contents/{+path}`,
    contributors_url: `${url}/contributors`,
    deployments_url: `${url}/deployments`,
    downloads_url: `${url}/downloads`,
    events_url: `${url}/events`,
    forks_url: `${url}/forks`,
    git_commits_url: `${url}/git/commits{/sha}`,
    git_refs_url: `${url}/git/refs{/sha}`,
    git_tags_url: `${url}/git/tags{/sha}`,
    git_url: `git://${host}/${name}.git`,
    hooks_url: `${url}/hooks`,
    issue_comment_url: `${url}/issues/comments{/number}`,
    issue_events_url: `${url}/issues/events{/number}`,
    issues_url: `${url}/issues{/number}`,
    keys_url: `${url}/keys{/key_id}`,
    labels_url: `${url}/labels{/name}`,
    languages_url: `${url}/languages`,
    merges_url: `${url}/merges`,
    milestones_url: `${url}/milestones{/number}`,
    notifications_url: `${url}/notifications{?since,all,participating}`,
    pulls_url: `${url}/pulls{/number}`,
    releases_url: `${url}/releases{/id}`,
    ssh_url: `git@${host}:${name}.git`,
    stargazers_url: `${url}/stargazers`,
    statuses_url: `${url}/statuses/{sha}`,
    subscribers_url: `${url}/subscribers`,
    subscription_url: `${url}/subscription`,
    svn_url: html,
    tags_url: `${url}/tags`,
    teams_url: `${url}/teams`,
    trees_url: `${url}/git/trees{/sha}`,
  };
}
