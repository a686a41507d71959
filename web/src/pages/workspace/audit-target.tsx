import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { projectsQuery } from '../../data/lists.ts';
import { CopyText } from '../../ui/copy-id.tsx';

type AuditEvent = components['schemas']['AuditEvent'];

/** The first part of an action, where what it names is a task. */
const OF_TASKS = ['task', 'plan', 'message', 'pull_request', 'request', 'pod', 'odoo_instance'];

const LINK = 'text-link underline';

/** What an act was about: a link to its page where there is one, else its id to copy. */
export function AuditTarget({ org, event }: { org: string; event: AuditEvent }): ReactNode {
  const { target_id, action, project_id } = event;
  const projects = useQuery(projectsQuery);
  const [kind = '', act = ''] = action.split('.');
  const short = target_id.slice(0, 8);
  const isGone = act === 'delete' || act === 'remove';
  if (OF_TASKS.includes(kind) && project_id !== undefined && !isGone)
    return (
      <Link
        to="/projects/$project/tasks/$task"
        params={{ project: project_id, task: target_id }}
        className={LINK}
      >
        Task {short}
      </Link>
    );
  if (kind === 'member' && !isGone && act !== 'leave')
    return (
      <Link
        to="/workspaces/$org/members"
        params={{ org }}
        search={{ person: target_id }}
        className={LINK}
      >
        Member {short}
      </Link>
    );
  if (kind === 'team' && !isGone)
    return (
      <Link to="/workspaces/$org/teams/$team" params={{ org, team: target_id }} className={LINK}>
        Team {short}
      </Link>
    );
  if (kind === 'workspace')
    return (
      <Link to="/workspaces/$org" params={{ org }} className={LINK}>
        The workspace
      </Link>
    );
  const project = projects.data?.find(({ id }) => id === (project_id ?? target_id));
  if (project !== undefined)
    return (
      <Link
        to="/projects/$project"
        params={{ project: project.id }}
        dir="auto"
        className={`${LINK} block max-w-48 truncate`}
        title={project.name}
      >
        {project.name}
      </Link>
    );
  return <CopyText text={target_id} short={8} label="Copy the id" />;
}

/** Who has done it: a name that leads to the list of members, with this one. */
export function AuditActor({ org, event }: { org: string; event: AuditEvent }): ReactNode {
  const { actor_user_id, actor_name, actor_email } = event;
  if (actor_email === undefined) return 'Guildhall';
  return (
    <Link
      to="/workspaces/$org/members"
      params={{ org }}
      search={{ person: actor_user_id, q: actor_email }}
      className="block max-w-64 truncate font-medium hover:underline"
      title={actor_email}
      dir="auto"
    >
      {actor_name ?? actor_email}
    </Link>
  );
}
