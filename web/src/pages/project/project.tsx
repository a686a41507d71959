import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useUsesErp } from '../../data/erp.ts';
import { workspacesQuery } from '../../data/lists.ts';
import { projectQuery } from '../../data/project.ts';
import { Loading } from '../../shell/loading.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';

/** The frame of a project's pages. */
export function ProjectPage(): ReactNode {
  const { project: id } = useParams({ from: '/signed-in/projects/$project' });
  const project = useQuery(projectQuery(id));
  const workspaces = useQuery(workspacesQuery);
  const usesErp = useUsesErp(id);
  if (project.error && project.data === undefined)
    return (
      <Page title="Project">
        <Failure error={project.error} retry={() => void project.refetch()} />
      </Page>
    );
  if (project.data === undefined) return <Loading />;
  const { name, organization_id, erp_version, erp_edition, archived } = project.data;
  const workspace = workspaces.data?.find((each) => each.id === organization_id);
  return (
    <Page
      title={name}
      lead={
        <>
          {workspace && (
            <Link to="/workspaces/$org" params={{ org: workspace.id }} className="hover:underline">
              {workspace.name}
            </Link>
          )}
          {[usesErp && `Odoo ${erp_version} ${erp_edition}`, archived && 'archived']
            .filter((part) => part !== false)
            .map((part) => (workspace ? ` · ${part}` : part))
            .join(workspace ? '' : ' · ')}
        </>
      }
    >
      <Tabs
        label="Project"
        tabs={[
          { to: '/projects/$project', name: 'Tasks', icon: 'list' },
          { to: '/projects/$project/people', name: 'People', icon: 'people' },
          { to: '/projects/$project/repositories', name: 'Repositories', icon: 'branch' },
          { to: '/projects/$project/deploys', name: 'Deploys', icon: 'rocket' },
          { to: '/projects/$project/routines', name: 'Routines', icon: 'clock' },
          { to: '/projects/$project/usage', name: 'Usage', icon: 'chart' },
          { to: '/projects/$project/settings', name: 'Settings', icon: 'settings' },
        ]}
        params={{ project: id }}
      />
      <Outlet />
    </Page>
  );
}
