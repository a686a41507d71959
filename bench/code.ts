import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, CDPSession } from 'playwright-core';
import { openDatabase } from '../server/db/database/database.ts';
import { openRepositories } from '../server/runner/worker/repository.ts';
import { signIn } from '../server/testing/fixtures/identity/session.ts';
import { fixturesOn } from '../server/testing/fixtures/tenants.ts';
import { buildWeb } from '../web/build.ts';
import { launchBrowser } from '../web/test/browser.ts';
import { quantile } from './load.ts';
import { onScratchDatabase } from './scratch.ts';
import { startGuildhall } from './servers.ts';
import type { Setting } from './setting.ts';

const FILES = 5;
/** Each file has as many removed lines as added ones. */
const CHANGED_LINES = 5_000;
/** What a quick turn of a wheel moves in a frame of a sixtieth of a second. */
const STEP_PX = 120;

/**
 * How long 5,000 changed lines take until they are there, and the frames of scrolling through all of
 * them, unified and side by side, in a browser on the same machine.
 */
export async function code({ adminUrl, say }: Setting): Promise<void> {
  await buildWeb();
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-bench-code-'));
  try {
    await onScratchDatabase(adminUrl, 'bench_code', async (url) => {
      const { cookie, path } = await world(url, folder);
      const server = await startGuildhall(url, { DATA_DIR: folder });
      const browser = await launchBrowser();
      try {
        const rows: string[] = [];
        for (const layout of ['unified', 'split']) {
          say(`code: ${layout}`);
          rows.push(row(layout, await scrolled(browser, server.url, { cookie, path, layout })));
        }
        say('');
        process.stdout.write(
          [
            `| ${CHANGED_LINES} changed lines, ms | there after | CPU a frame | frames | median | p95 | longest | over 50 |`,
            '|---|---:|---:|---:|---:|---:|---:|---:|',
            ...rows,
            '',
          ].join('\n'),
        );
      } finally {
        await browser.close();
        await server.stop();
      }
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A task that has changed many lines of a few files. */
async function world(url: string, folder: string): Promise<{ cookie: string; path: string }> {
  const db = openDatabase({ url });
  const fixtures = fixturesOn(db);
  const repositories = openRepositories(join(folder, 'repositories'));
  const user = await fixtures.user({ name: 'Ada Byron' });
  const projectId = await fixtures.project({ userId: user.id });
  const taskId = await fixtures.task(projectId, user);
  const place = { projectId, taskId, workTree: join(folder, taskId) };
  await mkdir(place.workTree);
  await repositories.checkOut(place);
  const commit = async (of: string) => {
    for (let file = 0; file < FILES; file++) {
      const lines = Array.from(
        { length: CHANGED_LINES / FILES / 2 },
        (_, line) =>
          `    total_${line} = self.${of}(order.amount * ${line}, 'sale.order')  # ${of}`,
      );
      await writeFile(join(place.workTree, `order_${file}.py`), `${lines.join('\n')}\n`);
    }
    return repositories.commit(place, of);
  };
  await commit('first');
  const { id } = (await commit('second')) as { id: string };
  const cookie = await signIn({ db }, user);
  await db.close();
  return { cookie, path: `/projects/${projectId}/tasks/${taskId}?panel=code&commit=${id}` };
}

const COLOURED = '.text-code-string';

interface Scrolled {
  there: number;
  /** Of the page's main thread for a frame: it does not depend on what else the machine does. */
  cpu: number;
  frames: number[];
}

async function scrolled(
  browser: Browser,
  url: string,
  { cookie, path, layout }: { cookie: string; path: string; layout: string },
): Promise<Scrolled> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 1440, height: 900 },
  });
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }]);
  await context.addInitScript(`localStorage.setItem('guildhall-diff-layout', '${layout}')`);
  const page = await context.newPage();
  // The first visit fetches the files of the page.
  await page.goto(path);
  await page.locator(COLOURED).first().waitFor();
  const begun = performance.now();
  await page.goto(path);
  await page.locator(COLOURED).first().waitFor();
  const there = performance.now() - begun;
  const devtools = await context.newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = await cpuOf(devtools);
  const frames = await page.evaluate<number[]>(`new Promise((resolve) => {
    let box = document.querySelector('[data-file]');
    while (box && !(/auto|scroll/.test(getComputedStyle(box).overflowY) && box.scrollHeight > box.clientHeight)) box = box.parentElement;
    const frames = [];
    let last;
    const step = (now) => {
      if (last !== undefined) frames.push(now - last);
      last = now;
      const before = box.scrollTop;
      box.scrollTop += ${STEP_PX};
      if (box.scrollTop === before) resolve(frames);
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`);
  const cpu = ((await cpuOf(devtools)) - before) / frames.length;
  await context.close();
  return { there, cpu, frames };
}

/** Milliseconds of the main thread since the page began. */
async function cpuOf(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
}

function row(layout: string, { there, cpu, frames }: Scrolled): string {
  const sorted = Float64Array.from(frames).sort();
  const at = (share: number) => quantile(sorted, share).toFixed(1);
  const long = frames.filter((frame) => frame > 50).length;
  return `| ${layout} | ${there.toFixed(0)} | ${cpu.toFixed(1)} | ${frames.length} | ${at(0.5)} | ${at(0.95)} | ${at(1)} | ${long} |`;
}
