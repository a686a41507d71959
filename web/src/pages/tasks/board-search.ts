import type { components } from '@guildhall/client';
import { type Search, text, yes } from '../../search.ts';
import { STATES } from '../task/states.ts';

type Status = components['schemas']['Task']['status'];

export const statusOf = (value: unknown): Status | undefined =>
  typeof value === 'string' && value in STATES ? (value as Status) : undefined;

/** What the address of the board may hold. */
export interface BoardSearch {
  status?: Status | undefined;
  mine?: true | undefined;
  project?: string | undefined;
  model?: string | undefined;
  q?: string | undefined;
}

export const boardSearch = ({ status, mine, project, model, q }: Search): BoardSearch => ({
  status: statusOf(status),
  mine: yes(mine),
  project: text(project),
  model: text(model),
  q: text(q),
});

/** What the address of the tasks of one project may hold. */
export interface TaskListSearch {
  status?: Status | undefined;
  /** An id, or `me`. */
  by?: string | undefined;
  model?: string | undefined;
  q?: string | undefined;
  archived?: true | undefined;
  sort?: 'updated' | undefined;
}

export const taskListSearch = (search: Search): TaskListSearch => ({
  status: statusOf(search.status),
  by: text(search.by),
  model: text(search.model),
  q: text(search.q),
  archived: yes(search.archived),
  sort: search.sort === 'updated' ? 'updated' : undefined,
});
