import { type Search, text, yes } from '../../search.ts';

// The router needs this at the start: the words of the states are no part of it.

/** What the address of the board may hold. */
export interface BoardSearch {
  status?: string | undefined;
  mine?: true | undefined;
  project?: string | undefined;
  model?: string | undefined;
  q?: string | undefined;
}

export const boardSearch = ({ status, mine, project, model, q }: Search): BoardSearch => ({
  status: text(status),
  mine: yes(mine),
  project: text(project),
  model: text(model),
  q: text(q),
});

/** What the address of the tasks of one project may hold. */
export interface TaskListSearch {
  status?: string | undefined;
  /** An id, or `me`. */
  by?: string | undefined;
  model?: string | undefined;
  q?: string | undefined;
  archived?: true | undefined;
  sort?: 'updated' | undefined;
}

export const taskListSearch = (search: Search): TaskListSearch => ({
  status: text(search.status),
  by: text(search.by),
  model: text(search.model),
  q: text(search.q),
  archived: yes(search.archived),
  sort: search.sort === 'updated' ? 'updated' : undefined,
});
