import type { Account, Addresses, Installation, State } from '../state.ts';
import type { Schema } from '../typed.ts';

/** The kinds of events that the App has subscribed to. */
const EVENTS = [
  'check_run',
  'check_suite',
  'deployment',
  'deployment_status',
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'push',
  'repository',
  'status',
] as const;

/** GitHub's times have no fractions of a second. */
export const time = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

export const nodeId = (kind: string, id: number): string =>
  Buffer.from(`0${kind.length}:${kind}${id}`).toString('base64url');

export function userShape({ id, login, type }: Account, at: Addresses) {
  const url = `${at.api}/users/${encodeURIComponent(login)}`;
  return {
    login,
    id,
    node_id: nodeId(type, id),
    avatar_url: `${at.web}/avatars/${id}`,
    gravatar_id: '',
    url,
    html_url: `${at.web}/${encodeURIComponent(login)}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: login.endsWith('[bot]') ? ('Bot' as const) : type,
    site_admin: false,
  } satisfies Schema<'simple-user'>;
}

export function appShape({ app, installations }: State, at: Addresses) {
  const permissions = [...installations.values()][0]?.permissions ?? {};
  return {
    id: app.id,
    slug: app.slug,
    node_id: nodeId('App', app.id),
    owner: userShape(app.owner, at),
    name: app.name,
    description: null,
    external_url: 'https://guildhall.example',
    html_url: `${at.web}/apps/${app.slug}`,
    created_at: time(app.createdAt),
    updated_at: time(app.createdAt),
    permissions: { ...permissions },
    events: [...EVENTS],
    installations_count: installations.size,
  } satisfies Schema<'integration'>;
}

export function installationShape(
  installation: Installation,
  { app, person }: State,
  at: Addresses,
) {
  const { id, account, selection, permissions, createdAt, updatedAt, suspendedAt } = installation;
  const settings = account.type === 'User' ? 'settings' : `organizations/${account.login}/settings`;
  return {
    id,
    account: userShape(account, at),
    repository_selection: selection,
    access_tokens_url: `${at.api}/app/installations/${id}/access_tokens`,
    repositories_url: `${at.api}/installation/repositories`,
    html_url: `${at.web}/${settings}/installations/${id}`,
    app_id: app.id,
    app_slug: app.slug,
    target_id: account.id,
    target_type: account.type,
    permissions,
    events: [...EVENTS],
    created_at: time(createdAt),
    updated_at: time(updatedAt),
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: suspendedAt === undefined ? null : userShape(person, at),
    suspended_at: suspendedAt === undefined ? null : time(suspendedAt),
  } satisfies Schema<'installation'>;
}
