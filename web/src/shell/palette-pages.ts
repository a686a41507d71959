import { useQuery } from '@tanstack/react-query';
import { useParams, useRouter } from '@tanstack/react-router';
import { projectsQuery, workspacesQuery } from '../data/lists.ts';
import { useUser } from '../data/session.ts';
import type { Entry } from './palette-entry.ts';

const ACCOUNT: [string, string][] = [
  ['/account', 'Profile'],
  ['/account/security', 'Security'],
  ['/account/keys', 'API keys'],
  ['/account/sessions', 'Sessions'],
  ['/account/connections', 'Connections'],
  ['/account/activity', 'Your activity'],
  ['/account/billing', 'Your billing'],
  ['/account/usage', 'Your usage'],
];

const WORKSPACE: [string, string][] = [
  ['members', 'Members'],
  ['invitations', 'Invitations'],
  ['teams', 'Teams'],
  ['roles', 'Roles'],
  ['billing', 'Billing'],
  ['usage', 'Usage'],
  ['audit', 'Audit trail'],
  ['settings', 'Workspace settings'],
  ['danger', 'Leave or delete'],
];

const PROJECT: [string, string][] = [
  ['people', 'People'],
  ['repositories', 'Repositories'],
  ['deploys', 'Deploys'],
  ['usage', 'Project usage'],
  ['settings', 'Project settings'],
];

const HELP = [
  'First steps',
  'Tasks and plans',
  'Roles',
  'Merge targets',
  'Caps and limits',
  'Money',
  'Odoo',
  'Finding and keys',
];

/** Where one can go: the pages of what is open, all projects and workspaces, the account. */
export function usePages(): Entry[] {
  const { history } = useRouter();
  const workspaces = useQuery(workspacesQuery);
  const projects = useQuery(projectsQuery);
  const open = useParams({ strict: false });
  const { operator } = useUser();
  const page = (path: string, label: string, kind: string): Entry => ({
    key: `${path} ${label}`,
    label,
    kind,
    go: () => history.push(path),
  });
  const project = projects.data?.find(({ id }) => id === open.project);
  const workspaceId = open.org ?? project?.organization_id;
  const workspace = workspaces.data?.find(({ id }) => id === workspaceId);
  return [
    ...(project === undefined
      ? []
      : PROJECT.map(([path, label]) =>
          page(`/projects/${project.id}/${path}`, label, `page of ${project.name}`),
        )),
    page('/', 'Home', 'page'),
    page('/help', 'Help', 'page'),
    ...HELP.map((name) =>
      page(`/help/${name.toLowerCase().replaceAll(' ', '-')}`, `Help: ${name}`, 'page'),
    ),
    ...(projects.data ?? []).map(({ id, name }) => page(`/projects/${id}`, name, 'project')),
    ...(workspaces.data ?? []).map(({ id, name }) => page(`/workspaces/${id}`, name, 'workspace')),
    ...(workspace === undefined
      ? []
      : WORKSPACE.map(([path, label]) =>
          page(`/workspaces/${workspace.id}/${path}`, label, `page of ${workspace.name}`),
        )),
    ...ACCOUNT.map(([path, label]) => page(path, label, 'page of your account')),
    ...(operator ? [page('/operator', 'Operate the server', 'page')] : []),
  ];
}
