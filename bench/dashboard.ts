import type { Browser, Page } from 'playwright-core';
import { openDatabase } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';
import { signIn } from '../server/testing/fixtures/identity/session.ts';
import { fixturesOn } from '../server/testing/fixtures/tenants.ts';
import { buildWeb } from '../web/build.ts';
import { launchBrowser } from '../web/test/browser.ts';
import { interactions } from './dashboard-large.ts';
import { spread } from './measure.ts';
import { onScratchDatabase } from './scratch.ts';
import { startGuildhall } from './servers.ts';
import type { Setting } from './setting.ts';

const TIMES = 10;
/** A mobile network: 1.6 Mbit/s, with 150 ms to the server and back. */
const SLOW = { latency: 150, downloadThroughput: 200_000, uploadThroughput: 200_000 };
/** The pages that are changed between: their headings, and the names of their links. */
const PAGES = ['Acme', 'Harbour'] as const;

/**
 * How long the dashboard takes in a browser on the same machine: from the beginning of the first
 * load, with an empty cache, until the page can be used, also over a slow network, and of a task; and
 * from a click until another page, whose data the browser has, is painted. Then what people do in a
 * large place.
 */
export async function dashboard({ adminUrl, say }: Setting): Promise<void> {
  await buildWeb();
  await onScratchDatabase(adminUrl, 'bench_dashboard', async (url) => {
    const { cookie, task } = await world(url);
    const server = await startGuildhall(url);
    const browser = await launchBrowser();
    try {
      const loads: number[] = [];
      const content: number[] = [];
      const slow: number[] = [];
      const slowTask: number[] = [];
      const changes: number[] = [];
      for (let time = 0; time <= TIMES; time++) {
        say(`dashboard: load ${time} of ${TIMES}`);
        const page = await windowOf(browser, server.url, cookie);
        const load = await loaded(page);
        if (time > 0) loads.push(load); // the first one warms the server
        if (time === TIMES) changes.push(...(await changed(page)));
        await page.context().close();
        if (time === 0) continue;
        const home = await loadedSlowly(browser, server.url, cookie);
        content.push(home.content);
        slow.push(home.usable);
        slowTask.push((await loadedSlowly(browser, server.url, cookie, task)).usable);
      }
      say('');
      process.stdout.write(
        [
          '| The dashboard, ms | median | min–max |',
          '|---|---:|---:|',
          row(`first load, until it can be used, ${loads.length} times`, loads),
          row(`its first content at 1.6 Mbit/s and 150 ms, ${content.length} times`, content),
          row(`until it can be used there, ${slow.length} times`, slow),
          row(`a task in the same way, ${slowTask.length} times`, slowTask),
          row(`page change with data at hand, ${changes.length} times`, changes),
          '',
        ].join('\n'),
      );
    } finally {
      await browser.close();
      await server.stop();
    }
  });
  await onScratchDatabase(adminUrl, 'bench_dashboard_large', async (url) => {
    const browser = await launchBrowser();
    try {
      process.stdout.write(`${(await interactions(url, browser, say)).join('\n')}\n`);
    } finally {
      await browser.close();
    }
  });
}

/** A first page: its path, and what says in the browser that it can be used. */
interface First {
  path: string;
  isThere: string;
}

/** A person with a workspace, two projects and a task. */
async function world(url: string): Promise<{ cookie: string; task: First }> {
  const db = openDatabase({ url });
  const fixtures = fixturesOn(db);
  const user = await fixtures.user({ name: 'Ada Byron' });
  const organizationId = await fixtures.workspace(user, { name: 'Workshop' });
  const task = { path: '', isThere: headingWith('A task') };
  for (const name of PAGES) {
    const id = await fixtures.project({ organizationId });
    await db.many(sql`update project set name = ${name} where id = ${id}`);
    task.path = `/projects/${id}/tasks/${await fixtures.task(id, user)}`;
  }
  const cookie = await signIn({ db }, user);
  await db.close();
  return { cookie, task };
}

/** A new window, whose cache is empty. */
async function windowOf(browser: Browser, url: string, cookie: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: url, locale: 'en-US', timezoneId: 'UTC' });
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }]);
  return context.newPage();
}

/** Resolves in the page when `isThere` is true and the next frame is painted: milliseconds. */
const PAINTED = `(isThere) => new Promise((resolve) => {
  const look = () => {
    if (!isThere()) return;
    seen.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
  };
  const seen = new MutationObserver(look);
  seen.observe(document, { childList: true, subtree: true, characterData: true });
  look();
})`;
const linkTo = (name: string) =>
  `[...document.querySelectorAll('nav a')].find((one) => one.textContent.includes('${name}'))`;
const headingWith = (name: string) =>
  `document.querySelector('h1')?.textContent.includes('${name}')`;
/** The first page can be used when the projects are there to be clicked. */
const HOME: First = { path: '/', isThere: linkTo(PAGES[0]) };

/** Milliseconds from the beginning of the navigation until the page can be used. */
async function loaded(page: Page, { path, isThere }: First = HOME): Promise<number> {
  await page.addInitScript(`globalThis.usable = (${PAINTED})(() => ${isThere})`);
  await page.goto(path);
  return page.evaluate<number>('globalThis.usable');
}

/** The same over a slow network. */
async function loadedSlowly(
  browser: Browser,
  url: string,
  cookie: string,
  first?: First,
): Promise<{ content: number; usable: number }> {
  const page = await windowOf(browser, url, cookie);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.emulateNetworkConditions', { offline: false, ...SLOW });
  const usable = await loaded(page, first);
  const paint = await page.waitForFunction(
    "performance.getEntriesByName('first-contentful-paint')[0]?.startTime",
  );
  const content = Number(await paint.jsonValue());
  await page.context().close();
  return { content, usable };
}

/** Milliseconds from each of some clicks until the heading of the other page is painted. */
async function changed(page: Page): Promise<number[]> {
  const times: number[] = [];
  for (let time = -PAGES.length; time < TIMES; time++) {
    const name = PAGES[(time + PAGES.length) % PAGES.length] as string;
    const there = `() => ${headingWith(name)}`;
    const took = await page.evaluate<number>(`(async () => {
      const begun = performance.now();
      ${linkTo(name)}.click();
      return (await (${PAINTED})(${there})) - begun;
    })()`);
    // The first visits fetch what the later ones have.
    if (time >= 0) times.push(took);
  }
  return times;
}

function row(what: string, values: number[]): string {
  const { median, min, max } = spread(values);
  return `| ${what} | ${median.toFixed(0)} | ${min.toFixed(0)}–${max.toFixed(0)} |`;
}
