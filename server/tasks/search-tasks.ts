import Type from 'typebox';
import { acrossWorkspaces } from '../access/account.ts';
import { allowed, projectsOfCaller, standing } from '../access/project.ts';
import { allWords, contains, wordsOf } from '../db/search.ts';
import { nothing, type Sql, sql } from '../db/sql.ts';
import { boolean, oneOf, text, uuid } from '../http/input/fields.ts';
import { type Listed, type ListParts, listed, page } from '../http/list.ts';
import { cursorInvalid, pages } from '../http/paging.ts';
import { resource } from '../http/resource.ts';
import { route } from '../http/route.ts';
import { timestamp } from '../http/timestamps.ts';
import { shownStatus } from './shown-status.ts';
import { TASK_STATUSES } from './task-states.ts';

/** Words that more titles or messages have are looked for in what is newest alone. */
const MOST_HITS = 10_000;
const NEWEST_TASKS = 200;
const NEWEST_MESSAGES = 20;

// pg_trgm has no index entry for less.
const SHORTEST_PART = 3;

/** A task that was found, from rows `e` of the search, `t` and `p`, and `m`, which may be null. */
const found = resource('FoundTask', {
  task_id: [uuid(), sql`t.id`, '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f'],
  title: [
    Type.String({ description: 'What the task is about.' }),
    sql`t.title`,
    'Sale order approval',
  ],
  status: [
    oneOf([...TASK_STATUSES], { description: 'As `get_task` shows it.' }),
    shownStatus,
    'ready',
  ],
  archived: [
    boolean({ description: 'Whether lists leave out the task, or its project.' }),
    sql`(t.archived_at is not null or p.archived_at is not null)`,
    false,
  ],
  project_id: [uuid(), sql`p.id`, 'c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11'],
  project_name: [
    Type.String({ description: 'The project of the task.' }),
    sql`p.name`,
    'Warehouse',
  ],
  organization_id: [
    Type.Optional(uuid({ description: 'The workspace of the project, if it has one.' })),
    sql`p.organization_id`,
    '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  ],
  found_in: [
    oneOf(['title', 'message'], { description: 'Where the words are.' }),
    sql`case when e.in_title = 1 then 'title' else 'message' end`,
    'message',
  ],
  message_number: [
    Type.Optional(Type.Integer({ description: 'The last message that has the words.' })),
    sql`m.number`,
    3,
  ],
  excerpt: [
    Type.Optional(Type.String({ description: 'Some of that message, where the first word is.' })),
    sql`excerpt.text`,
    'Round the limit to whole euros.',
  ],
  updated_at: [timestamp(), sql`t.updated_at`, '2026-11-21T08:15:30.123Z'],
});

/** Tasks by the words of their titles and conversations, over all projects of the caller. */
export const searchTasks = route({
  method: 'GET',
  path: '/api/search',
  area: 'Tasks',
  operationId: 'search_tasks',
  summary: 'Search tasks',
  description:
    'Tasks of all projects that the caller can open, also archived ones, that have all words of ' +
    '`q` in their title or in one message of their conversation, without regard to case; the ' +
    'last word may be the beginning of one. A title is also found by a part of three characters ' +
    'or more. Those with the words in their title come first, and then those that changed last. ' +
    `Words that more than ${MOST_HITS} titles or messages of the server have are looked for in ` +
    `the last ${NEWEST_MESSAGES} messages of the ${NEWEST_TASKS} newest tasks alone. Of a ` +
    'message, the first 100,000 characters are searched, and the first 10,000 for such words. Always in pages: 50 entries, unless `limit` says otherwise.',
  access: acrossWorkspaces,
  query: Type.Object({
    ...pages,
    q: text({ minLength: 2, maxLength: 200, description: 'The words to look for.' }),
  }),
  sample: () => ({ query: { q: 'sale order' } }),
  responses: { 200: found.listed('Found in titles first, then by the last change.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>(
      { with: hits(query.q), select: listed(tasks(query.q), query) },
      page(url, query.limit),
    ),
});

const wordIn = /[\p{L}\p{N}]+/gu;

// An index knows no rights, so each yields a bounded number of hits, whose rights the list below
// checks. If there are more, the hits of others could hide the caller's: then the newest tasks of
// the caller are read instead.
const hits = (q: string): Sql => sql`
  asked as materialized (select ${allWords(q)} as words),
  titles as materialized (
    select t.id from task t
     where ${wordsOf(sql`t.title`)} @@ (select words from asked)
           ${[...q].length < SHORTEST_PART ? nothing : sql`or ${contains(sql`t.title`, q)}`}
     limit ${MOST_HITS + 1}),
  messages as materialized (
    select m.task_id, m.number from task_message m
     where ${wordsOf(sql`"left"(m.content, 100000)`)} @@ (select words from asked)
     limit ${MOST_HITS + 1}),
  is_common as materialized (
    select greatest((select count(*) from titles), (select count(*) from messages))
           > ${MOST_HITS} as yes),
  hits as materialized (
    select id, max(in_title) as in_title, max(number) as number
      from (select id, 1 as in_title, null::integer as number from titles
             where not (select yes from is_common)
            union all
            select task_id, 0, number from messages where not (select yes from is_common)
            union all ${inNewest(q)}) hit
     group by id)`;

// Here no index is used: one of all words would be read again for every task.
const inNewest = (q: string): Sql => sql`
  select t.id, case when ${hasAll(sql`t.title`, q)} then 1 else 0 end, said.number
    from (select t.id, t.title
            from ${projectsOfCaller('open_project')}
           cross join lateral (
             select id, title, created_at from task
              where project_id = p.id
              order by created_at desc, id desc limit ${NEWEST_TASKS}) t
           where (select yes from is_common)
           order by t.created_at desc, t.id desc limit ${NEWEST_TASKS}) t
    left join lateral (
      select m.number
        from (select number, "left"(content, 10000) as content from task_message
               where task_id = t.id order by number desc limit ${NEWEST_MESSAGES}) m
       where ${hasAll(sql`m.content`, q)}
       order by m.number desc limit 1) said on true
   where said.number is not null or ${hasAll(sql`t.title`, q)}`;

// Words have letters and digits alone: nothing is escaped.
function hasAll(text: Sql, q: string): Sql {
  const words = q.match(wordIn);
  return words === null
    ? contains(text, q)
    : sql`
  (lower(${text}) like all(array(select '%' || lower(w) || '%' from unnest(${[...words]}::text[]) w)))`;
}

const tasks = (q: string): ListParts => ({
  json: found.json,
  order: [
    { by: sql`e.in_title`, type: 'integer' },
    { by: sql`e.updated_at`, type: 'timestamptz' },
    { by: sql`e.id`, type: 'uuid' },
  ],
  descending: true,
  // Messages are read for the page alone.
  rows: ({ after, first }) => sql`
    from (select e.* from (
            select hits.id, hits.in_title, hits.number, task.updated_at
              from hits
              join task on task.id = hits.id
              join project p on p.id = task.project_id
              join authorized on authorized.organization_id is null
                   or authorized.organization_id = p.organization_id
              ${standing}
             where standing.acts_as = any(${allowed('open_project')})
               and not standing.lacks_two_factor) e
           where true ${after} ${first}) e
    join task t on t.id = e.id
    join project p on p.id = t.project_id
    left join task_message m on m.task_id = e.id and m.number = e.number
    ${excerpt(q)}
   where true`,
});

// A word may be at several places as a part of others; the excerpt shows the first.
const excerpt = (q: string): Sql => sql`
  cross join lateral (
    select greatest(1, strpos(lower("left"(m.content, 100000)),
                              lower(${firstWord(q)})) - 60) as start) place
  cross join lateral (select substring(m.content from place.start for 240) as text) excerpt`;

const firstWord = (q: string): string => q.match(wordIn)?.[0] ?? q;
