import { type Search, texts, yes } from '../../search.ts';

// The router needs this at the start: the words of the states are no part of it.

/** What the address of the board may hold. */
export interface BoardSearch {
  status?: string | undefined;
  mine?: true | undefined;
  project?: string | undefined;
  model?: string | undefined;
  q?: string | undefined;
}

export const boardSearch = (search: Search): BoardSearch => ({
  ...texts('status', 'project', 'model', 'q')(search),
  mine: yes(search.mine),
});

/** What the address of the tasks of one project may hold. */
export interface TaskListSearch {
  status?: string | undefined;
  /** An id, or `me`. */
  by?: string | undefined;
  model?: string | undefined;
  q?: string | undefined;
  archived?: true | undefined;
  /** `updated`, or else the newest first. */
  sort?: string | undefined;
}

export const taskListSearch = (search: Search): TaskListSearch => ({
  ...texts('status', 'by', 'model', 'q', 'sort')(search),
  archived: yes(search.archived),
});
