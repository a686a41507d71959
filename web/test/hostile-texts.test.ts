import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { plannedTask } from '../../server/testing/fixtures/tasks/planned-task.ts';
import { noBrowser, openBrowser, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/**
 * What an agent or another person has written never takes a page from its readers: a text that
 * would be too much as Markdown is shown as its source, and a part that fails fails alone.
 */

/** More than any page draws of a plan. */
const MOST_ELEMENTS = 12_000;
const MOST_DEPTH = 120;

const TOO_MUCH: Record<string, string> = {
  'nested lists': `${'- '.repeat(2_000)}a`,
  'nested quotes': `${'>'.repeat(20_000)}a`,
  'lists within numbered lists': `${'- 1. '.repeat(4_000)}a`,
  'lists nested by their indentation': Array.from(
    { length: 140 },
    (_, depth) => `${'  '.repeat(depth)}- a`,
  ).join('\n'),
  'quotes that go on lazily': `${'>'.repeat(10_000)}a\n${'a\n'.repeat(5_000)}`,
  'a table whose rows are filled up': `${'|a'.repeat(2_500)}|\n${'|-'.repeat(2_500)}|\n${'|\n'.repeat(5_000)}`,
  'a table of many cells': `|a|b|\n|-|-|\n${'|a|b|\n'.repeat(12_000)}`,
  'many headings': 'a\n-\n'.repeat(20_000),
  'many calls of footnotes': `${'[^1]'.repeat(20_000)}\n\n[^1]: a`,
};

const MUCH: Record<string, string> = {
  brackets: '['.repeat(50_000),
  'brackets that close': `${'['.repeat(25_000)}${']'.repeat(25_000)}`,
  pictures: '![a]('.repeat(15_000),
  emphasis: '*a_ '.repeat(20_000),
  'less-than signs': '<'.repeat(50_000),
  'one long address for many links': `[a]: ${'b'.repeat(30_000)}\n\n${'[a]'.repeat(3_000)}`,
  'automatic links': 'www.a. a@b.c '.repeat(6_000),
  'one long line': 'a'.repeat(100_000),
};

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { fixtures, url } = harness;

  async function opened(...plans: string[]) {
    const planned = await plannedTask(fixtures, ...plans);
    const { owner, task, project } = planned;
    const visitor = await visit(browser, { url, cookie: await signIn(harness, owner) });
    const pathOf = (id: string) => `/projects/${project}/tasks/${id}`;
    /** The path of another task, which has this plan. */
    const planOf = async (text: string) => {
      const another = await fixtures.task(project, owner);
      await fixtures.revision(another, text);
      return pathOf(another);
    };
    return { ...planned, ...visitor, path: pathOf(task), planOf };
  }

  /** How many elements the plan has on the page, and how deep they are. */
  const drawn = (page: Awaited<ReturnType<typeof opened>>['page']) =>
    page.evaluate<{ elements: number; depth: number }>(`(() => {
      const all = [...document.querySelectorAll('section[aria-label=Plan] *')];
      const depthOf = (element) => (element === null ? 0 : 1 + depthOf(element.parentElement));
      return { elements: all.length, depth: Math.max(...all.map(depthOf)) };
    })()`);

  test('a plan that is too much is shown as its source, and can be approved', async (t) => {
    const { page, open, planOf, isClean, leave } = await opened();
    for (const [name, text] of Object.entries(TOO_MUCH))
      await t.test(name, async () => {
        await open(await planOf(text));
        await page.getByText('This is its source').waitFor();
        const { elements, depth } = await drawn(page);
        assert.ok(elements < MOST_ELEMENTS && depth < MOST_DEPTH, `${elements}, ${depth} deep`);
        await page.getByRole('button', { name: 'Approve version 1' }).click({ trial: true });
      });
    await isClean();
    await leave();
  });

  test('a plan that takes long to read keeps no one from approving it', async (t) => {
    const { page, open, planOf, leave } = await opened();
    const approve = page.getByRole('button', { name: 'Approve version 1' });
    for (const [name, text] of Object.entries(MUCH))
      await t.test(name, async () => {
        await open(await planOf(text));
        await approve.click({ trial: true });
        await page.locator('.prose, [data-source]').first().waitFor();
        await page.locator('[data-source="for now"]').waitFor({ state: 'detached' });
        const { elements, depth } = await drawn(page);
        assert.ok(elements < MOST_ELEMENTS && depth < MOST_DEPTH, `${elements}, ${depth} deep`);
        await approve.click();
        await approve.waitFor({ state: 'detached' });
      });
    await leave();
  });

  test('a plan as people write it is drawn, without HTML, pictures and addresses of scripts', async () => {
    const { page, open, path, isClean, leave } = await opened(
      [
        '# A plan &copy;\n\nText with **weight**, `code` and [a link](https://example.com/a).',
        '[not a link](javascript:alert(1)) <img src=x onerror=alert(1)> ![a picture](https://x.test/p)',
        '1. one\n2. two\n   - [x] done\n   - [ ] open\n\n| a | b |\n|---|--:|\n| c | 1 |\n| only |',
        '```js\nconst a = 1;\n```\n\nA note[^1].\n\n[^1]: Its text.',
      ].join('\n\n'),
    );
    await open(path);
    const plan = page.getByRole('region', { name: 'Plan' });
    await plan.getByRole('heading', { name: 'A plan ©' }).waitFor();
    assert.deepEqual(
      await plan.locator('.prose a').evaluateAll((all) => all.map((a) => a.getAttribute('href'))),
      ['https://example.com/a'],
    );
    assert.equal(await plan.locator('img').count(), 0);
    await plan.getByText('<img src=x onerror=alert(1)>').waitFor();
    assert.equal(await plan.getByRole('cell').count(), 3);
    await plan.getByText('☑ done').waitFor();
    await isClean();
    await leave();
  });

  test('a plan is drawn however long the parser is on its way', async () => {
    const { page, open, path, leave } = await opened('# The steps\n');
    await page.clock.install();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/assets/worker-*.js', async (route) => {
      await released;
      await route.continue();
    });
    const asked = page.waitForRequest('**/assets/worker-*.js');
    await open(path);
    await asked;
    await page.locator('[data-source="for now"]').waitFor();
    await page.clock.fastForward('00:10');
    await page.locator('[data-source="for now"]').waitFor();
    release();
    await page.getByRole('heading', { name: 'The steps' }).waitFor();
    await leave();
  });

  test('a comment, an event and a panel that cannot be shown fail alone', async () => {
    const planned = await opened('the plan');
    const { page, open, path, context, task, owner, expectErrors } = planned;
    const { number, ...comment } = { number: 1, text: 'This comment is as it should be.' };
    const at = { task_id: task, created_at: new Date().toISOString(), turn_id: owner.id };
    await page.route('**/plan/comments*', (route) =>
      route.fulfill({
        json: [comment, { text: 'Never.', created_at: 'at no time' }].map((each, index) => ({
          ...at,
          ...each,
          id: `${index}`,
          version: 1,
          start_line: 1,
          end_line: 1,
          current_start_line: 1,
          place: 'current',
          resolved: false,
          available_actions: [],
        })),
      }),
    );
    await page.route('**/events?*', (route) =>
      route.fulfill({
        json: [
          { ...at, seq: number, type: 'message', payload: { text: { of: 'no text' } } },
          { ...at, seq: 2, type: 'todo', payload: { entries: 'none' } },
          { ...at, seq: 3, type: 'tool_call', payload: { title: {}, content: 7 } },
          { ...at, seq: 4, type: 'turn_started', payload: { kind: 'plan' } },
          { ...at, seq: 5, type: 'message', payload: { text: 'A message that is one.' } },
        ],
      }),
    );
    await page.route('**/artifacts*', (route) => route.fulfill({ json: { none: true } }));
    await open(path);
    await page.getByText('This comment is as it should be.').waitFor();
    await page.getByText('This comment cannot be shown.').waitFor();
    await page.getByText('A message that is one.').waitFor();
    await page.getByText('An event that cannot be shown.').first().waitFor();
    await page.getByRole('button', { name: 'Approve version 1' }).click({ trial: true });
    await page.getByRole('link', { name: 'Files' }).click();
    await page.getByText('The panel Files cannot be shown.').waitFor();
    await page.getByRole('link', { name: 'Plan' }).click();
    await page.getByRole('button', { name: 'Approve version 1' }).click();
    await page.getByRole('button', { name: 'Approve version 1' }).waitFor({ state: 'detached' });
    expectErrors(/./);
    await context.close();
  });

  test('of a large patch, a long message and a long conversation, a part is drawn at once', async () => {
    const { page, open, path, context, task } = await opened('the plan');
    const head = 'diff --git a/a b/a\n--- /dev/null\n+++ b/a\n@@ -0,0 +1,60001 @@\n';
    const patch = `${head}+${'a'.repeat(50_000)}\n${'+b\n'.repeat(60_000)}`;
    const additions = 60_001;
    await page.route(/\/diff(\?|$)/, (route) =>
      new URL(route.request().url()).searchParams.get('format') === 'patch'
        ? route.fulfill({ body: patch, contentType: 'text/x-diff' })
        : route.fulfill({
            json: {
              task_id: task,
              branch: 'task/1',
              files_changed: 1,
              additions,
              deletions: 0,
              truncated: false,
              files: [{ path: 'a', status: 'added', binary: false, additions, deletions: 0 }],
            },
          }),
    );
    const at = { task_id: task, created_at: new Date().toISOString(), turn_id: task };
    await page.route('**/events?*', (route) =>
      route.fulfill({
        json: Array.from({ length: 5_000 }, (_, index) => ({
          ...at,
          seq: index + 1,
          type: 'notice',
          // Those that are not drawn are short: all of them would be 30 MB on the way.
          payload: { text: 'c'.repeat(index < 4_600 ? 60 : 6_000) },
        })),
      }),
    );
    await open(`${path}?panel=code`);
    const shown = page.getByRole('region', { name: 'a', exact: true });
    await shown.getByText('A large change: 60,001 lines.').waitFor();
    await shown.getByRole('button', { name: 'Show', exact: true }).click();
    await shown.getByText('… 49000 more characters').waitFor();
    assert.ok((await shown.locator('[data-side]').count()) < 3_000);
    await page.getByText('The last 300 of 5,000 entries').waitFor();
    assert.equal(await page.locator('section[aria-label=Conversation] > ol > li').count(), 300);
    await page.getByRole('link', { name: 'Plan' }).click();
    await page.getByRole('button', { name: 'Approve version 1' }).click({ trial: true });
    await context.close();
  });
}
