import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { inboxQuery, projectsQuery, workspacesQuery } from '../data/lists.ts';
import { useUser } from '../data/session.ts';
import { Icon, type IconName } from '../ui/icons.tsx';
import { AccountMenu } from './account-menu.tsx';

/** Where a person can go: what waits for them, their workspaces with projects, their account. */
export function Sidebar({ onSearch }: { onSearch: () => void }): ReactNode {
  const user = useUser();
  const inbox = useQuery(inboxQuery);
  const workspaces = useQuery(workspacesQuery);
  const projects = useQuery(projectsQuery);
  const own = projects.data?.filter((project) => project.organization_id === undefined) ?? [];
  const elsewhere = own.filter((project) => project.owner_user_id !== user.id);
  return (
    <nav aria-label="Main" className="flex min-h-full flex-col gap-4 p-3">
      <div className="flex flex-col gap-0.5">
        <button
          type="button"
          onClick={onSearch}
          className="mb-2 flex items-center gap-2 rounded-box border border-line px-2 py-1.5 text-left text-muted hover:bg-raised"
        >
          <Icon name="search" />
          <span className="flex-1">Go to…</span>
          <kbd className="font-mono text-xs">Ctrl K</kbd>
        </button>
        <Entry to="/" icon="home" count={inbox.data?.length}>
          Home
        </Entry>
        <Entry to="/tasks" icon="board">
          Tasks
        </Entry>
      </div>
      {workspaces.data?.map((workspace) => (
        <Group key={workspace.id} title={workspace.name} org={workspace.id}>
          {projects.data
            ?.filter((project) => project.organization_id === workspace.id)
            .map((project) => (
              <ProjectEntry key={project.id} id={project.id} name={project.name} />
            ))}
        </Group>
      ))}
      {own.length > elsewhere.length && (
        <Group title="Personal projects">
          {own
            .filter((project) => project.owner_user_id === user.id)
            .map((project) => (
              <ProjectEntry key={project.id} id={project.id} name={project.name} />
            ))}
        </Group>
      )}
      {elsewhere.length > 0 && (
        <Group title="Shared with you">
          {elsewhere.map((project) => (
            <ProjectEntry key={project.id} id={project.id} name={project.name} />
          ))}
        </Group>
      )}
      <Entry to="/" search={{ create: 'workspace' }} icon="plus">
        New workspace
      </Entry>
      <div className="mt-auto">
        <AccountMenu />
      </div>
    </nav>
  );
}

function Group({
  title,
  org,
  children,
}: {
  title: string;
  org?: string;
  children: ReactNode;
}): ReactNode {
  return (
    <div className="flex flex-col gap-0.5">
      {org === undefined ? (
        <p className="px-2 py-1 text-xs font-medium text-muted">{title}</p>
      ) : (
        <Link
          to="/workspaces/$org"
          params={{ org }}
          dir="auto"
          className="truncate rounded-box px-2 py-1 text-xs font-medium text-muted hover:bg-raised data-[status=active]:text-text"
        >
          {title}
        </Link>
      )}
      {children}
    </div>
  );
}

function ProjectEntry({ id, name }: { id: string; name: string }): ReactNode {
  return (
    <Entry to="/projects/$project" params={{ project: id }} icon="folder">
      {name}
    </Entry>
  );
}

function Entry({
  icon,
  count = 0,
  children,
  ...to
}: { icon: IconName; count?: number | undefined; children: ReactNode } & LinkProps): ReactNode {
  return (
    <Link
      activeOptions={{ exact: to.to === '/' }}
      className="flex items-center gap-2 rounded-box px-2 py-1 hover:bg-raised data-[status=active]:bg-tint data-[status=active]:font-medium"
      {...to}
    >
      <Icon name={icon} />
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {children}
      </span>
      {count > 0 && (
        <span className="rounded-full bg-waiting-tint px-1.5 text-xs text-waiting">
          {count}
          <span className="sr-only"> waiting</span>
        </span>
      )}
    </Link>
  );
}
