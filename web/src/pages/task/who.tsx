import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { workspacesQuery } from '../../data/lists.ts';
import { projectQuery } from '../../data/project.ts';
import { taskPeopleQuery } from '../../data/task.ts';
import { Avatar } from '../../ui/avatar.tsx';
import type { Task } from './states.ts';

type Person = components['schemas']['TaskPerson'];

/** The people of a task by their ids, and the workspace of its project, if the viewer may open it. */
interface Known {
  people: ReadonlyMap<string, Person>;
  org: string | undefined;
}

const KnownPeople = createContext<Known>({ people: new Map(), org: undefined });

/** Within it, `Who` knows the people of the task. */
export function PeopleOfTask({ task, children }: { task: Task; children: ReactNode }): ReactNode {
  const list = useQuery(taskPeopleQuery(task.id)).data;
  const of = useQuery(projectQuery(task.project_id)).data?.organization_id;
  const mine = useQuery(workspacesQuery).data;
  const org = mine?.some(({ id }) => id === of) ? of : undefined;
  const known = useMemo(
    () => ({ people: new Map(list?.map((person) => [person.user_id, person])), org }),
    [list, org],
  );
  return <KnownPeople value={known}>{children}</KnownPeople>;
}

/** A person with their initials; the name leads to the member's page, where there is one. */
export function Who({ id }: { id: string }): ReactNode {
  const { people, org } = useContext(KnownPeople);
  const person = people.get(id);
  const name = person?.name ?? 'Someone';
  const shown = 'inline-block max-w-48 truncate align-bottom font-medium text-text';
  return (
    <span className="inline-flex max-w-full items-center gap-1.5 align-middle">
      <Avatar id={id} name={name} />
      {person?.is_org_member && org !== undefined ? (
        <Link
          to="/workspaces/$org/members"
          params={{ org }}
          search={{ person: id }}
          dir="auto"
          title={name}
          className={`${shown} hover:underline`}
        >
          {name}
        </Link>
      ) : (
        <span dir="auto" title={name} className={shown}>
          {name}
        </span>
      )}
    </span>
  );
}
