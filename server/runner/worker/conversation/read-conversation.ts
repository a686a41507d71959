import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import type { Turn } from '../claim.ts';

/** What people have set, written and answered for the agent of a turn, as of one moment. */
export interface Conversation {
  workspaceInstructions: string | null;
  projectInstructions: string | null;
  title: string;
  /** Whether the task had a turn before this one. */
  past: boolean;
  plan: CurrentPlan | null;
  comments: ToldComment[];
  /** Open comments in all; `comments` may have fewer. */
  openComments: number;
  /** The first message of the task, unless this turn is its own. */
  first: Said | null;
  /** What was said before this turn and after the first message, newest first. */
  said: Said[];
  /** The same in all; `said` may have fewer. */
  saidInAll: number;
}

interface CurrentPlan {
  version: number;
  approved: boolean;
  /** Null where it is the prompt of the turn. */
  text: string | null;
}

/** A comment on the plan that is open, or was resolved since the agent was told of it. */
export interface ToldComment {
  id: string;
  author: string;
  version: number;
  start: number;
  end: number;
  /** Where the lines begin in the current version; null if it has changed them. */
  now: number | null;
  /** The first of the lines that it is about. */
  lines: string;
  text: string;
  /** `known`: the agent was told the same in an earlier turn. */
  news: 'resolved' | 'new' | 'reopened' | 'changed' | 'known';
  /** What `updated_at` is, as PostgreSQL writes it. */
  revision: string;
}

/** A message, or an answer to a question of the agent. */
export interface Said {
  kind: 'person' | 'agent' | 'plan' | 'answer';
  author: string | null;
  /** Long texts that are too far back to be told whole are cut. */
  text: string;
  /** Characters of the whole text. */
  length: number;
  /** What the agent had asked. */
  question: string | null;
  /** The task was cancelled before an agent had read it. */
  unread: boolean;
}

/** Characters of what was said that are read whole; of older texts, only the beginning. */
const WHOLE = 60_000;
const BEGINNING = 400;
/** Rows that are read; what there is beyond is counted. */
const MOST_COMMENTS = 200;
const MOST_SAID = 400;
/** Of the lines that a comment is about. */
const MOST_LINES = 20;
const MOST_OF_LINES = 2_000;

/**
 * What the agent of a turn has to be told beside its prompt, in one statement. `anew`: its session
 * knows nothing; otherwise the past is left out.
 */
export const readConversation = (
  db: Pick<Database, 'one'>,
  turn: Pick<Turn, 'turnId'>,
  anew: boolean,
): Promise<Conversation> => db.one<Conversation>(conversation(turn.turnId, anew));

// A comment that this turn was told of in an earlier attempt, whose worker died, is news once more.
const conversation = (turnId: string, anew: boolean) => sql`
  with turn as materialized (
    select u.task_id, u.number, u.plan_version, t.title, t.project_id
      from task_turn u join task t on t.id = u.task_id where u.id = ${turnId}),
  comments as materialized (
    select c.*, case when c.resolved_at is not null then 'resolved'
                     when c.told_in_turn is null or c.told_in_turn = turn.number then 'new'
                     when c.told_resolved then 'reopened'
                     when c.told_revision < c.updated_at then 'changed'
                     else 'known' end as news
      from plan_comment c join turn using (task_id)
     where c.resolved_at is null or (c.told_in_turn = turn.number) = c.told_resolved),
  first_comments as materialized (
    select * from comments order by news = 'known', id limit ${MOST_COMMENTS}),
  texts as materialized (
    select r.version, string_to_array(r.body, E'\n') as lines
      from plan_revision r join turn using (task_id)
     where r.version in (select version from first_comments)),
  messages as materialized (
    select m.number, m.created_at as at,
           coalesce(a.name, '@' || m.github_login || ' on GitHub',
                    '@' || m.gitea_login || ' on Gitea') as author, m.content,
           case when m.role = 'user' then 'person' when u.kind = 'plan' then 'plan'
                else 'agent' end as kind,
           coalesce(u.state = 'cancelled' and u.attempt = 0, false) as unread
      from turn join task_message m using (task_id)
      left join task_turn u on u.id = m.turn_id
      left join app_user a on a.id = m.author_user_id
     where ${anew} and coalesce(u.number, 0) < turn.number),
  first_message as materialized (
    select * from messages where kind = 'person' order by number limit 1),
  said as materialized (
    select at, number, kind, author, content, null as question, unread
      from messages where number is distinct from (select number from first_message)
    union all
    select r.ended_at, 0, 'answer', a.name,
           coalesce(r.answer_text, (select o->>'name' from jsonb_array_elements(r.options) o
                                     where o->>'id' = r.answer_option_id limit 1),
                    r.answer_option_id), r.title, false
      from turn join agent_request r using (task_id)
      join task_turn u on u.id = r.turn_id and u.number <= turn.number
      left join app_user a on a.id = r.answered_by_user_id
     where ${anew} and r.state = 'answered'),
  newest as materialized (
    select *, length(content) as length,
           sum(length(content)) over (order by at desc, number desc) as upto
      from said order by at desc, number desc limit ${MOST_SAID})
  select o.instructions as "workspaceInstructions", p.instructions as "projectInstructions",
         turn.title, turn.number > 1 as past,
         (select json_build_object(
                   'version', l.version,
                   'approved', l.approved_version is not distinct from l.version,
                   'text', case when ${anew} and l.version is distinct from turn.plan_version
                                then r.body end)
            from plan l join plan_revision r using (task_id, version)
           where l.task_id = turn.task_id) as plan,
         (select coalesce(json_agg(json_build_object(
                   'id', c.id, 'author', a.name, 'version', c.version, 'start', c.start_line,
                   'end', c.end_line, 'now', c.current_start_line, 'news', c.news,
                   'text', c.text, 'revision', c.updated_at::text,
                   'lines', left(array_to_string(
                      lines[c.start_line:least(c.end_line, c.start_line + ${MOST_LINES - 1}::integer)],
                      E'\n'), ${MOST_OF_LINES}))
                   order by c.news = 'known', c.id), '[]')
            from first_comments c join app_user a on a.id = c.author_user_id
            join texts using (version)) as comments,
         (select count(*) from comments where resolved_at is null)::integer as "openComments",
         (select json_build_object('kind', kind, 'author', author, 'text', left(content, ${WHOLE}),
                                   'length', length(content), 'question', null, 'unread', unread)
            from first_message) as first,
         (select coalesce(json_agg(json_build_object(
                   'kind', kind, 'author', author, 'length', length, 'question', question,
                   'unread', unread,
                   'text', left(content, case when upto - length < ${WHOLE}::integer
                                              then ${WHOLE}::integer else ${BEGINNING}::integer end))
                   order by at desc, number desc), '[]')
            from newest) as said,
         (select count(*) from said)::integer as "saidInAll"
    from turn join project p on p.id = turn.project_id
    left join organization o on o.id = p.organization_id`;
