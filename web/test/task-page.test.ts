import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { builtTurns } from '../../server/testing/fixtures/tasks/built-turns.ts';
import { plannedTask } from '../../server/testing/fixtures/tasks/planned-task.ts';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { seriesOf } from '../../server/testing/harness/metrics.ts';
import { until } from '../../server/testing/harness/until.ts';
import { DASHBOARD, noBrowser, openBrowser, type Visit, visit } from './browser.ts';

/** The page of a task whose agent is not at work: what its plan, its events and its session do. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startHarness({ dashboard: DASHBOARD, own: true });
  const { db, events, fixtures, metrics, request, url } = harness;

  /** A task whose plan waits for approval, and its owner's window. */
  async function planned(look: Partial<Visit> = {}) {
    const at = await plannedTask(fixtures);
    const cookie = await signIn(harness, at.owner);
    const visitor = await visit(browser, { url, cookie, ...look });
    await events.log.acquire(at.task, 1n, 'a worker');
    return {
      ...at,
      ...visitor,
      path: `/projects/${at.project}/tasks/${at.task}`,
      approve: (version = 1) =>
        visitor.page.getByRole('button', { name: `Approve version ${version}` }),
      /** What the agent would say. */
      say: (text: string) =>
        events.log.append(at.task, 1n, [{ type: 'message', payload: { messageId: text, text } }]),
      approved: async () =>
        (
          await db.one<{ version: number | null }>(
            sql`select approved_version as version from plan where task_id = ${at.task}`,
          )
        ).version,
    };
  }

  test('what a build may cost stands beside the approval, and one click sets the cap', async () => {
    const { page, open, path, project, task, owner, approve, isClean, leave } = await planned({
      width: 360,
    });
    const others = [await fixtures.task(project, owner), await fixtures.task(project, owner)];
    for (const other of others) await fixtures.revision(other);
    await db.many(sql`update task set model = 'sandbox' where id = any(${[task, ...others]})`);
    await builtTurns(db, others[0] as string, [2_000_000n, 4_000_000n]);
    await open(path);
    // On one line there is room for what the task waits for alone.
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('Builds of this project cost < $0.01 (2 builds).').waitFor();
    await builtTurns(db, others[1] as string, [40_000_000n]);
    await page.reload();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText(/cost < \$0\.01 to \$0\.04, half of them up to < \$0\.01 \(3/).waitFor();
    await isClean();
    await page.getByRole('button', { name: 'Set the cap to $0.04' }).click();
    await page.getByRole('button', { name: /^Set the cap/ }).waitFor({ state: 'detached' });
    const { body } = await request('GET', `/api/tasks/${task}`, { key: owner.key });
    assert.equal(body.spend.cap, '0.04');
    await approve().waitFor();
    await leave();
  });

  test('a newer plan takes the approval away until it is read; the refusal of an old one is shown', async () => {
    const { page, open, path, plan, owner, task, approve, approved, expectErrors, leave } =
      await planned();
    await open(path);
    await approve().waitFor();
    await page.getByRole('link', { name: 'Files' }).click();
    const told = Promise.withResolvers<void>();
    await page.route(
      (address) => address.pathname === `/api/tasks/${task}`,
      async (route) => {
        await told.promise;
        await route.continue();
      },
    );
    const revised = await request('PUT', plan, {
      key: owner.key,
      headers: { 'if-match': '"1"' },
      body: { text: '# Plan 2\n' },
    });
    assert.equal(revised.status, 200);
    // The page still shows version 1: what it sends is refused, and nothing is approved.
    await approve().click();
    await page.getByRole('alert').waitFor();
    told.resolve();
    expectErrors(/412/);
    await page.getByText('A newer version of the plan has arrived').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Approve/ }).count(), 0);
    assert.equal(await approved(), null);
    await page.getByRole('link', { name: 'Plan' }).click();
    await page.getByRole('heading', { name: 'Plan 2' }).waitFor();
    await approve(2).click();
    await approve(2).waitFor({ state: 'detached' });
    assert.equal(await approved(), 2);
    await leave();
  });

  test('a network that is cut before the first events have been read: the page follows once it is back', async () => {
    const { page, open, path, task, approve, say, expectErrors, leave } = await planned();
    let refused = 0;
    const isCut = (address: URL) => address.pathname === `/api/tasks/${task}/events`;
    await page.route(isCut, (route) => {
      refused += 1;
      return route.abort('internetdisconnected');
    });
    await open(path);
    await approve().waitFor();
    await say('I have read the repository.');
    // The client has given up, as it does after its retries, and the page has asked again.
    await until('the events were asked for again', () => refused > 4, 60_000);
    await page.unroute(isCut);
    await page.getByText('I have read the repository.').waitFor();
    await say('I begin with the files of the plan.');
    await page.getByText('I begin with the files of the plan.').waitFor();
    for (const text of ['I have read the repository.', 'I begin with the files of the plan.'])
      assert.equal(await page.getByText(text).count(), 1);
    expectErrors(/ERR_INTERNET_DISCONNECTED/);
    await leave();
  });

  test('a server that goes away before the stream was opened: it is opened without another file', async () => {
    const { page, open, path, task, approve, say, expectErrors, leave } = await planned();
    const isCut = (address: URL) => address.pathname === `/api/tasks/${task}/events`;
    await page.route(isCut, (route) => route.abort('connectionrefused'));
    const loaded = page.waitForResponse('**/assets/streaming-*');
    await open(path);
    await approve().waitFor();
    await loaded;
    await page.route('**/assets/stream*', (route) => route.abort('connectionrefused'));
    await page.unroute(isCut);
    await say('I begin with the files of the plan.');
    await page.getByText('I begin with the files of the plan.').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    expectErrors(/ERR_CONNECTION_REFUSED/);
    await leave();
  });

  test('a dialog of a page that was read opens while the server is away', async () => {
    const { page, open, path, leave } = await planned();
    const loaded = ['form', 'forms'].map((name) => page.waitForResponse(`**/assets/${name}-*`));
    await open(path);
    await Promise.all(loaded);
    await page.route('**/assets/*', (route) => route.abort('connectionrefused'));
    await page.getByRole('button', { name: 'Ask for changes' }).click();
    await page.getByLabel('What is to change?').waitFor();
    await leave();
  });

  test('events that are refused are asked for again by Try again', async () => {
    const { page, open, path, task, approve, say, expectErrors, leave } = await planned();
    const isRefused = (address: URL) => address.pathname === `/api/tasks/${task}/events`;
    await page.route(isRefused, (route) => route.fulfill({ status: 418, body: 'a teapot' }));
    await open(path);
    await approve().waitFor();
    const again = page.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    await page.unroute(isRefused);
    await again.click();
    await again.waitFor({ state: 'detached' });
    await say('I begin with the files of the plan.');
    await page.getByText('I begin with the files of the plan.').waitFor();
    expectErrors(/418/);
    await leave();
  });

  test('a session that ended elsewhere leads to the sign-in, and remembers the page', async () => {
    const { page, open, path, owner, approve, approved, context } = await planned();
    await open(path);
    await approve().waitFor();
    await db.many(
      sql`update session set ended_at = now() where user_id = ${owner.id} and ended_at is null`,
    );
    // What the page reads every ten seconds is refused.
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('return_to'), path);
    assert.equal(await approved(), null);
    await context.close();
  });

  test('five tabs of one browser open at most three streams, and all of them see what happens', async () => {
    const { context, page, open, path, say, leave } = await planned();
    await open(path);
    const pages = [page];
    while (pages.length < 5) pages.push(await context.newPage());
    await Promise.all(pages.slice(1).map((tab) => tab.goto(path)));
    for (const tab of pages) await tab.getByRole('button', { name: 'Approve version 1' }).waitFor();
    await page.getByRole('button', { name: 'Approve version 1' }).click();
    await say('I begin with the files of the plan.');
    for (const tab of pages) {
      await tab.getByText('I begin with the files of the plan.').waitFor();
      await tab.getByRole('button', { name: 'Approve version 1' }).waitFor({ state: 'detached' });
    }
    // Those of windows that were closed before may end a moment later.
    await until('one to three streams', async () =>
      [1, 2, 3].includes((await seriesOf(metrics, 'guildhall_event_streams'))[''] ?? 0),
    );
    await leave();
  });
} else test('the page of a task without an agent in a browser', { skip: noBrowser }, () => {});
