import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { workspaceQuery } from '../../data/workspace.ts';
import { Loading } from '../../shell/loading.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Page } from '../../ui/page.tsx';
import { Sections, Tabs } from '../../ui/tabs.tsx';
import { WorkspaceBadge } from '../../ui/workspace-badge.tsx';
import { HEADS } from './sections.ts';

/** The frame of a workspace's pages. */
export function WorkspacePage(): ReactNode {
  const { org } = useParams({ from: '/signed-in/workspaces/$org' });
  const workspace = useQuery(workspaceQuery(org));
  const path = useRouterState({ select: ({ location }) => location.pathname });
  if (workspace.error)
    return (
      <Page title="Workspace">
        <Failure error={workspace.error} retry={() => void workspace.refetch()} />
      </Page>
    );
  if (workspace.data === undefined) return <Loading />;
  const { name, role_name, available_actions } = workspace.data;
  const [, , , page = ''] = path.split('/');
  const heads = HEADS.map(({ sections, ...head }) => ({
    ...head,
    sections: sections.filter(
      ({ needs }) => needs === undefined || available_actions.includes(needs),
    ),
  })).filter(({ sections }) => sections.length > 0);
  const isHere = ({ to }: { to: string }) => to.replace(/^\/workspaces\/\$org\/?/, '') === page;
  const here = heads.find(({ sections }) => sections.some(isHere));
  // By its address, a page can be opened whose content this person may not read.
  const refused = HEADS.flatMap(({ sections }) => sections).some(
    (section) =>
      isHere(section) &&
      section.needs !== undefined &&
      /^(get|list)_/.test(section.needs) &&
      !available_actions.includes(section.needs),
  );
  return (
    <Page
      title={name}
      lead={
        <span className="inline-flex items-center gap-2">
          <WorkspaceBadge {...workspace.data} />
          {`Workspace · ${role_name}`}
        </span>
      }
    >
      <Tabs
        label="Workspace"
        tabs={heads.map((head) => ({
          to: head.sections[0]?.to ?? '',
          name: head.name,
          icon: head.icon,
          active: head === here,
        }))}
        params={{ org }}
      />
      {here !== undefined && here.sections.length > 1 ? (
        <div className="flex flex-col gap-section md:flex-row">
          <Sections label={here.name} sections={here.sections} params={{ org }} />
          <div className="flex min-w-0 flex-1 flex-col gap-section">
            <Outlet />
          </div>
        </div>
      ) : refused ? (
        <p className="max-w-prose text-muted">
          This page is for owners and admins of the workspace. Ask one of them, or choose another
          page above.
        </p>
      ) : (
        <Outlet />
      )}
    </Page>
  );
}
