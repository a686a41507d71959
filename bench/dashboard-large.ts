import type { Browser, Page } from 'playwright-core';
import { openDatabase } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';
import { signIn } from '../server/testing/fixtures/identity/session.ts';
import { fixturesOn } from '../server/testing/fixtures/tenants.ts';
import { startGuildhall } from './servers.ts';

const PROJECTS = 200;
const MEMBERS = 2_000;
const WAITING = 500;
const EVENTS = 10_000;

/** What the browser says of an interaction is a multiple of this, and shorter ones are left out. */
const LEAST_MS = 16;

/** What people do on a page of a large place; the keys are pressed one after the other. */
interface Use {
  name: string;
  path: string;
  /** What says that the page is there. */
  ready: string;
  /** What is clicked first. */
  at?: string;
  keys: readonly string[];
}

/**
 * How long the dashboard takes from a key until its effect is painted, in a place with 200 projects,
 * 2,000 members, 500 tasks that wait and one with 10,000 events: lines of a table. `launch` makes a
 * browser.
 */
export async function interactions(
  url: string,
  browser: Browser,
  say: (line: string) => void,
): Promise<string[]> {
  const { cookie, org, task } = await largeWorld(url);
  const server = await startGuildhall(url);
  const typed = [...'invoices of the harbour'];
  const moves = Array.from({ length: 20 }, () => 'j');
  const uses: Use[] = [
    {
      name: 'letters in the filter of the sidebar',
      path: '/',
      ready: 'nav',
      at: 'input[aria-label="Filter projects"]',
      keys: typed,
    },
    { name: 'j in the inbox', path: '/', ready: 'main table', keys: moves },
    {
      name: 'letters in the palette',
      path: '/',
      ready: 'main table',
      keys: ['Control+k', ...typed],
    },
    {
      name: 'letters in a message to the agent',
      path: task,
      // All events have been read then.
      ready: `main :text('Step ${EVENTS} is')`,
      at: 'main textarea',
      keys: typed,
    },
    {
      name: 'j in the members',
      path: `/workspaces/${org}/members`,
      ready: 'main table',
      keys: moves,
    },
    {
      name: 'letters in the search of the board',
      path: '/tasks',
      ready: 'main li',
      at: 'main input[type=search]',
      keys: typed,
    },
  ];
  const rows: string[] = [];
  try {
    for (const use of uses) {
      say(`dashboard: ${use.name}`);
      const context = await browser.newContext({ baseURL: server.url, locale: 'en-US' });
      const [name = '', value = ''] = cookie.split('=');
      await context.addCookies([{ name, value, url: server.url, httpOnly: true, sameSite: 'Lax' }]);
      const page = await context.newPage();
      rows.push(row(use.name, await durations(page, use)));
      await context.close();
    }
  } finally {
    await server.stop();
  }
  return [
    '',
    '| Interactions in a large place, ms | 95th percentile | max | of |',
    '|---|---:|---:|---:|',
    ...rows,
  ];
}

/** Milliseconds of each interaction; those that the browser leaves out are shorter than any other. */
async function durations(page: Page, { path, ready, at, keys }: Use): Promise<number[]> {
  await page.addInitScript(`
    globalThis.longest = new Map();
    new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries())
        if (interactionId > 0)
          longest.set(interactionId, Math.max(duration, longest.get(interactionId) ?? 0));
    }).observe({ type: 'event', durationThreshold: ${LEAST_MS}, buffered: true });`);
  await page.goto(path);
  await page.locator(ready).first().waitFor();
  if (at !== undefined) await page.locator(at).first().click();
  await page.evaluate('longest.clear()');
  for (const key of keys) {
    await page.keyboard.press(key);
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))');
  }
  const long = await page.evaluate<number[]>('[...longest.values()]');
  const left = Math.max(0, keys.length - long.length);
  return [...long, ...Array.from({ length: left }, () => LEAST_MS / 2)];
}

function row(name: string, values: number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = sorted[Math.ceil(sorted.length * 0.95) - 1] as number;
  const shown = (ms: number) => (ms < LEAST_MS ? `< ${LEAST_MS}` : String(ms));
  return `| ${name} | ${shown(at)} | ${shown(sorted.at(-1) as number)} | ${sorted.length} |`;
}

async function largeWorld(url: string) {
  const db = openDatabase({ url });
  const fixtures = fixturesOn(db);
  const user = await fixtures.user({ name: 'Ada Byron' });
  const org = await fixtures.workspace(user, { name: 'Workshop', balance: '100.00' });
  await db.many(sql`
    with people as (
      insert into app_user (email, name)
      select 'person' || n || '@large.example', 'Person ' || n from generate_series(1, ${MEMBERS}::int) n
      returning id)
    insert into membership (organization_id, user_id, role_id)
    select ${org}, people.id, r.id from people
      join role r on r.organization_id is null and r.scope = 'workspace' and r.slug = 'member'`);
  await db.many(sql`
    insert into project (organization_id, name, erp_version, erp_edition)
    select ${org}, 'Project ' || n, '18.0', 'community' from generate_series(1, ${PROJECTS}::int) n`);
  await db.many(sql`
    with waiting as (
      insert into task (project_id, title, created_by_user_id, status, last_turn)
      select p.id, 'Task ' || n || ' of ' || p.name, ${user.id}, 'awaiting_approval', 1
        from generate_series(1, ${WAITING}::int) n
        join (select id, name, row_number() over (order by id) as at
                from project where organization_id = ${org}) p on p.at = 1 + n % ${PROJECTS}::int
      returning id),
    revised as (
      insert into plan_revision (task_id, version, body)
      select id, 1, '# A plan' from waiting returning task_id)
    insert into plan (task_id, version) select task_id, 1 from revised`);
  const { id: project } = await db.one<{ id: string }>(sql`
    select id from project where organization_id = ${org} limit 1`);
  const id = await fixtures.task(project, user);
  await db.many(sql`
    with log as (
      insert into task_log (task_id, last_seq, fence, owner) values (${id}, ${EVENTS}, 1, ${id}) returning task_id)
    insert into task_event (task_id, seq, type, payload)
    select task_id, n, case n % 4 when 0 then 'message' else 'tool_call' end,
           case n % 4
             when 0 then json_build_object('text', 'Step ' || n || ' is *done*.')
             else json_build_object('toolCallId', 'call-' || n, 'title', 'Read file ' || n,
                                    'kind', 'read', 'status', 'completed',
                                    'content', '[]'::json, 'locations', '[]'::json) end::text
      from log, generate_series(1, ${EVENTS}::int) n`);
  const cookie = await signIn({ db }, user);
  await db.close();
  return { cookie, org, task: `/projects/${project}/tasks/${id}` };
}
