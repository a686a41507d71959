import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { projectsQuery, workspacesQuery } from '../data/lists.ts';
import { useUser } from '../data/session.ts';
import { Icon } from '../ui/icons.tsx';
import { WorkspaceBadge } from '../ui/workspace-badge.tsx';
import { useFolded, useRecent } from './kept.ts';
import { SidebarEntry } from './sidebar-entry.tsx';

interface Project {
  id: string;
  name: string;
}

/** From so many projects on there are a filter and the ones that were opened last. */
const MANY = 10;
/** How many projects of a group are shown before the person asks for the others. */
const SHOWN = 25;

const byName = new Intl.Collator('en', { numeric: true });
const sorted = <Thing extends { name: string }>(things: readonly Thing[]): Thing[] =>
  things.toSorted((a, b) => byName.compare(a.name, b.name));

/** The person's workspaces and projects, by name: "Project 2" before "Project 10". */
export function SidebarPlaces(): ReactNode {
  const user = useUser();
  const workspaces = useQuery(workspacesQuery).data ?? [];
  const projects = useQuery(projectsQuery).data ?? [];
  const [text, setText] = useState('');
  const words = text.trim().toLowerCase();
  const found = words === '' ? projects : projects.filter((each) => fits(each.name, words));
  const recent = useRecent(user.id);
  const many = projects.length > MANY;
  const groups = [
    ...sorted(workspaces).map(({ id, name, color, icon }) => ({
      id,
      name,
      org: id,
      badge: <WorkspaceBadge name={name} color={color} icon={icon} />,
      projects: found.filter((project) => project.organization_id === id),
    })),
    {
      id: 'own',
      name: 'Personal projects',
      org: undefined,
      projects: found.filter((each) => !each.organization_id && each.owner_user_id === user.id),
    },
    {
      id: 'shared',
      name: 'Shared with you',
      org: undefined,
      // Those of a workspace in which the person is no member, too.
      projects: found.filter(
        ({ organization_id, owner_user_id }) =>
          !workspaces.some(({ id }) => id === organization_id) && owner_user_id !== user.id,
      ),
    },
  ];
  const shown = groups.filter(
    ({ org, name, projects }) =>
      projects.length > 0 || (org !== undefined && (words === '' || fits(name, words))),
  );
  return (
    <>
      {many && (
        <input
          type="search"
          aria-label="Filter projects"
          placeholder="Filter projects"
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="w-full rounded-box border border-edge bg-surface px-2 py-1 placeholder:text-muted"
        />
      )}
      {words !== '' && shown.length === 0 && (
        <p role="status" className="px-2 text-muted">
          No project has this name.
        </p>
      )}
      {many && words === '' && (
        <Group
          id="recent"
          name="Opened last"
          projects={recent.flatMap((id) => projects.find((project) => project.id === id) ?? [])}
        />
      )}
      {shown.map(({ projects, ...group }) => (
        <Group key={group.id} {...group} projects={sorted(projects)} open={words !== ''} />
      ))}
    </>
  );
}

const fits = (name: string, words: string): boolean => name.toLowerCase().includes(words);

function Group({
  id,
  name,
  org,
  badge,
  projects,
  open = false,
}: {
  id: string;
  name: string;
  /** The workspace that the heading leads to. */
  org?: string | undefined;
  badge?: ReactNode;
  projects: readonly Project[];
  /** Open, whether it is folded or not. */
  open?: boolean;
}): ReactNode {
  const [folded, fold] = useFolded(id);
  const [all, setAll] = useState(false);
  if (projects.length === 0 && org === undefined) return null;
  const isOpen = open || !folded;
  const shown = all || open ? projects : projects.slice(0, SHOWN);
  return (
    <div className="flex flex-col gap-0.5">
      <div className="flex items-center gap-0.5 text-xs font-medium text-muted">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={`List of ${name}`}
          disabled={open || projects.length === 0}
          onClick={() => fold(!folded)}
          className="flex size-6 shrink-0 items-center justify-center rounded-box hover:bg-raised disabled:invisible"
        >
          <span className={isOpen ? 'rotate-90' : ''}>
            <Icon name="chevron" size={12} />
          </span>
        </button>
        {org === undefined ? (
          <p className="truncate py-1">{name}</p>
        ) : (
          <Link
            to="/workspaces/$org"
            params={{ org }}
            dir="auto"
            className="flex min-w-0 flex-1 items-center gap-2 rounded-box px-1 py-1 hover:bg-raised data-[status=active]:text-text"
          >
            {badge}
            <span className="min-w-0 truncate">{name}</span>
          </Link>
        )}
      </div>
      {isOpen &&
        shown.map((project) => (
          <SidebarEntry
            key={project.id}
            to="/projects/$project"
            params={{ project: project.id }}
            icon="folder"
          >
            {project.name}
          </SidebarEntry>
        ))}
      {isOpen && shown.length < projects.length && (
        <button
          type="button"
          aria-label={`Show all ${projects.length} projects: ${name}`}
          onClick={() => setAll(true)}
          className="rounded-box px-2 py-1 text-left text-muted hover:bg-raised"
        >
          Show all {projects.length}
        </button>
      )}
    </div>
  );
}
