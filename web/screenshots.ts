import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { importWorld } from '../cli/world/load.ts';
import { createClient } from '../client/src/index.ts';
import { removeOutside } from '../server/db/embedded/outside.ts';
import { type Server, start } from '../server/main/start.ts';
import { readConfig } from '../server/platform/config/config.ts';
import { startFakeOdoo } from '../server/testing/fakes/fake-odoo/server.ts';
import { signIn } from '../server/testing/fixtures/identity/session.ts';
import { buildWeb } from './build.ts';
import { LOOKS, MANIFEST, madeOf, PICTURED, PICTURES } from './pictures.ts';
import { looksSame } from './same-picture.ts';
import { addConnections, addLongNames, makeTasks } from './screenshots-scene.ts';
import { launchBrowser } from './test/browser.ts';

/**
 * `npm run screenshots`: the pictures of docs/pictures/, light and dark, 1280 and 360 pixels wide,
 * from a server with the data of the demo, and the list of what they were made from. With `-- --all`,
 * every page of the dashboard, in `screenshots/`; with `--long-names` these have long names and names
 * that are written from right to left.
 */

const ROOT = join(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    'long-names': { type: 'boolean', default: false },
  },
});
const all = values.all || values['long-names'];

const began = performance.now();
// Before they are built: what changes meanwhile is in no picture.
const sources = Object.keys(PICTURED).map((page) => [page, madeOf(page).sources] as const);
const dataDir = await mkdtemp(join(tmpdir(), 'guildhall-screenshots-'));
let server: Server | undefined;
const odoo = await startFakeOdoo({ edition: 'enterprise' });
try {
  await chmod(dataDir, 0o755); // when run as root, PostgreSQL's own user needs access
  await buildWeb();
  const config = readConfig({
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'silent',
    RATE_LIMIT_PER_MINUTE: '100000',
    ERP_ALLOWED_NETWORKS: '127.0.0.1',
    ERP_ALLOW_HTTP: 'true',
  });
  server = await start(config, { tasks: 'here' });
  const world = JSON.parse(await readFile(join(ROOT, 'demo/world.json'), 'utf8'));
  const ids = await importWorld(server.db, world);
  const ada = ids.users.ada as { id: string };
  const key = ids.keys['ada-laptop'] as string;
  const guildhall = createClient({ baseUrl: server.url, key });
  const scene = {
    guildhall,
    url: server.url,
    key,
    workspace: ids.organizations.acme as string,
    project: ids.projects.shop as string,
    card: ids.cards['ada/visa'] as string,
  };
  if (values['long-names']) await addLongNames(scene);
  const tasks = await makeTasks(scene);
  await addConnections(scene, odoo, tasks.approval as string);
  await takeAll(server, ada, pagesOf(scene, tasks));
} finally {
  await server?.close();
  await odoo.close();
  await removeOutside(dataDir);
  await rm(dataDir, { recursive: true, force: true });
}

/** Paths of the pages, by the name of the picture; after a #, the heading that is scrolled to. */
function pagesOf(
  { workspace, project }: { workspace: string; project: string },
  tasks: Record<string, string>,
): Record<string, string> {
  const of = `/projects/${project}`;
  return {
    home: '/',
    account: '/account',
    ...under('/account', ['security', 'keys', 'sessions', 'connections', 'activity']),
    ...under('/account', ['billing', 'usage']),
    workspace: `/workspaces/${workspace}`,
    ...under(`/workspaces/${workspace}`, ['members', 'invitations', 'teams', 'roles', 'audit']),
    ...under(`/workspaces/${workspace}`, ['settings', 'danger', 'billing', 'usage']),
    ...Object.fromEntries(
      ['transactions', 'invoices', 'limits'].map((view) => [
        `workspace-${view}`,
        `/workspaces/${workspace}/billing?view=${view}`,
      ]),
    ),
    'project-tasks': of,
    'project-people': `${of}/people`,
    'project-repositories': `${of}/repositories`,
    'project-deploys': `${of}/deploys`,
    'project-settings': `${of}/settings`,
    'project-erp': `${of}/settings#ERP connections`,
    'task-erp': `${of}/tasks/${tasks.approval}?panel=erp#Connections of the project`,
    ...Object.fromEntries(
      Object.entries(tasks).map(([name, id]) => [
        `task-${name}`,
        `${of}/tasks/${id}${/pull-request|merged/.test(name) ? '?panel=pull-request' : ''}`,
      ]),
    ),
  };
}

/** Pages below an address, as `account-keys`. */
function under(address: string, names: string[]): Record<string, string> {
  const [, first = ''] = address.split('/');
  const of = first.replace(/s$/, '');
  return Object.fromEntries(names.map((name) => [`${of}-${name}`, `${address}/${name}`]));
}

async function takeAll(
  { url, db }: Server,
  person: { id: string },
  pages: Record<string, string>,
): Promise<void> {
  const folder = all ? join(ROOT, 'screenshots') : PICTURES;
  if (all) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const browser = await launchBrowser();
  try {
    const [name = '', value = ''] = (await signIn({ db }, person)).split('=');
    const blank = await browser.newPage();
    let taken = 0;
    for (const { scheme, width } of LOOKS) {
      const context = await browser.newContext({
        baseURL: url,
        colorScheme: scheme,
        reducedMotion: 'reduce',
        viewport: { width, height: width < 600 ? 780 : 860 },
      });
      const page = await context.newPage();
      const protocol = await context.newCDPSession(page);
      const take = async (picture: string, path: string): Promise<void> => {
        if (!all && !Object.hasOwn(PICTURED, picture)) return;
        const [address = '', heading] = path.split('#');
        await page.goto(address);
        // Not until the network is idle: the page of a task keeps a stream open.
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        await page.waitForTimeout(600);
        if (heading !== undefined)
          await page.getByRole('heading', { name: heading }).evaluate((at) => at.scrollIntoView());
        const name = `${picture}-${scheme}-${width}`;
        if (all) await page.screenshot({ path: join(folder, `${name}.png`) });
        else {
          // A fifth of a PNG; Playwright itself makes none.
          const shot = { format: 'webp', quality: 80 } as const;
          const { data } = await protocol.send('Page.captureScreenshot', shot);
          await replace(blank, join(folder, `${name}.webp`), Buffer.from(data, 'base64'));
        }
        taken += 1;
      };
      await take('sign-in', '/sign-in');
      await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }]);
      for (const [picture, path] of Object.entries(pages)) await take(picture, path);
      await context.close();
    }
    if (!all) {
      const made = Object.fromEntries(
        sources.map(([page, of]) => [page, { sources: of, pictures: madeOf(page).pictures }]),
      );
      await writeFile(MANIFEST, `${JSON.stringify(made, undefined, 2)}\n`);
    }
    const seconds = Math.round((performance.now() - began) / 1_000);
    console.log(`${taken} pictures are in ${relative(ROOT, folder)}/ (${seconds} s).`);
  } finally {
    await browser.close();
  }
}

/** Writes a picture, unless the one that is there looks the same: each stays in the history for ever. */
async function replace(blank: Page, file: string, picture: Buffer): Promise<void> {
  const former = existsSync(file) ? await readFile(file) : undefined;
  if (former !== undefined && (await looksSame(blank, former, picture))) return;
  await writeFile(file, picture);
}
