import { type HostedRepository, hostColumns, isConnected } from '../../access/hosted-repository.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { unlessGone } from '../hosts/host-error.ts';
import { mentions } from '../hosts/mentions.ts';
import { shownText } from '../hosts/shown-text.ts';
import type { GitHub } from './app.ts';
import { named } from './pulls.ts';
import { inRepository } from './read-repository.ts';
import { mayWrite, personOf } from './reviews.ts';
import { GITHUB_PAGE } from './scan.ts';

/** Of what GitHub says, code points that a run keeps. */
const MOST = { title: 300, body: 20_000, label: 100, login: 100, url: 1_000 };
/** GitHub tells of what happens at once: what is older starts nothing. */
const OLDEST_MS = 24 * 60 * 60_000;

/** A routine that an issue may start, and the repository by which its project has the issue. */
interface Candidate extends HostedRepository {
  id: string;
  label: string | null;
  created_at: Date;
}

/** Enabled ones only: what happens while one is paused is not made up for. */
const candidates = (
  db: Database,
  repositoryId: string,
  startsBy: 'label' | 'mention',
): Promise<Candidate[]> =>
  db.many(sql`
    select t.id, t.label, t.created_at, ${hostColumns}
      from routine t
      join project p on p.id = t.project_id
      join repository r on r.project_id = p.id
     where t.enabled and t.starts_by = ${startsBy} and r.host = 'github'
       and r.host_repository_id = ${repositoryId} and ${isConnected} and p.archived_at is null`);

/**
 * Makes a run of each routine that waits for a label that someone who may write to the repository has
 * just given the issue: its author, who may have chosen labels with a template, need not be one.
 * However often GitHub reports it, a label counts once. Throws a HostError.
 */
export async function startByLabel(
  db: Database,
  github: GitHub,
  repositoryId: string,
  issue: number,
): Promise<void> {
  const waiting = await candidates(db, repositoryId, 'label');
  const [repository] = waiting;
  if (repository === undefined) return;
  const given = (await labelsOf(github, repository, issue)).filter(({ label }) =>
    waiting.some((each) => each.label?.toLowerCase() === label),
  );
  if (given.length === 0) return;
  const fields = await fieldsOf(github, repository, issue);
  if (fields === undefined) return;
  for (const { id, label, login, at } of given) {
    if (!(await mayWrite(github, repository, login))) continue;
    for (const each of waiting)
      if (each.label?.toLowerCase() === label && at >= each.created_at.getTime())
        await makeRun(db, each.id, 'label', `label:${id}`, fields);
  }
}

/** Makes a run of each routine that waits for such a comment on an issue. Throws a HostError. */
export async function startByMention(
  db: Database,
  github: GitHub,
  repositoryId: string,
  { issue, comment }: { issue: number; comment: number },
): Promise<void> {
  const waiting = await candidates(db, repositoryId, 'mention');
  const [repository] = waiting;
  if (repository === undefined) return;
  const api = inRepository(github, repository, { issues: 'read' });
  const path = 'GET /repos/{owner}/{repo}/issues/comments/{comment_id}';
  const found = await unlessGone(() =>
    api.request(path, { ...named(repository), comment_id: comment }),
  );
  const { data } = found ?? {};
  const author = personOf(data?.user);
  // What an App writes for a person is an App's all the same.
  if (data === undefined || author === undefined || data.performed_via_github_app) return;
  const text = data.body ?? '';
  if (!text.includes('@') || !data.issue_url.endsWith(`/${issue}`)) return;
  if (Date.parse(data.created_at) < Date.now() - OLDEST_MS) return;
  const { data: app } = await github.app.request('GET /app');
  if (app?.slug === undefined || !mentions(text, app.slug)) return;
  if (!(await mayWrite(github, repository, author.login))) return;
  const fields = await fieldsOf(github, repository, issue);
  if (fields === undefined) return;
  const said = { 'comment.body': shownText(text, MOST.body), 'comment.author': author.login };
  for (const { id } of waiting)
    await makeRun(db, id, 'mention', `comment:${comment}`, { ...fields, ...said });
}

/** The labels that people have given the issue in the last day, in lower case, the latest last. */
async function labelsOf(github: GitHub, repository: HostedRepository, issue: number) {
  const api = inRepository(github, repository, { issues: 'read' });
  const path = 'GET /repos/{owner}/{repo}/issues/{issue_number}/events';
  const of = { ...named(repository), issue_number: issue, per_page: GITHUB_PAGE };
  const first = await unlessGone(() => api.request(path, { ...of, page: 1 }));
  if (first === undefined) return [];
  // GitHub lists them from the oldest on.
  const last = Number(/[?&]page=(\d+)[^>]*>; rel="last"/.exec(first.headers.link ?? '')?.[1] ?? 1);
  const events = last === 1 ? first.data : (await api.request(path, { ...of, page: last })).data;
  return events.flatMap((each) => {
    const login = personOf(each.actor)?.login;
    const label = 'label' in each ? each.label?.name : undefined;
    const at = Date.parse(each.created_at ?? '');
    if (each.event !== 'labeled' || login === undefined || typeof label !== 'string') return [];
    if (!(at >= Date.now() - OLDEST_MS)) return [];
    return [{ id: Number(each.id), label: label.toLowerCase(), login, at: at + 999 }];
  });
}

/** What the issue says now. */
async function fieldsOf(
  github: GitHub,
  repository: HostedRepository,
  issue: number,
): Promise<Record<string, string> | undefined> {
  const api = inRepository(github, repository, { issues: 'read' });
  const path = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
  const found = await unlessGone(() =>
    api.request(path, { ...named(repository), issue_number: issue }),
  );
  if (found === undefined || found.data.pull_request) return undefined;
  const { title, body, html_url, user } = found.data;
  return {
    'issue.number': String(issue),
    'issue.title': shownText(title, MOST.title),
    'issue.body': shownText(body ?? '', MOST.body),
    'issue.url': shownText(html_url, MOST.url),
    'issue.author': shownText(user?.login ?? '', MOST.login),
  };
}

/** A worker begins it (server/tasks/routines/). A second one with this key changes nothing. */
const makeRun = (
  db: Database,
  routineId: string,
  startedBy: 'label' | 'mention',
  key: string,
  fields: Record<string, string>,
): Promise<unknown> =>
  db.many(sql`
    insert into routine_run (routine_id, key, started_by, fields)
    select id, ${key}, ${startedBy}, ${JSON.stringify(fields)}::jsonb
      from routine where id = ${routineId}
    on conflict on constraint routine_run_once do nothing`);
