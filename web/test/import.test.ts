import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGitSource } from '../../server/testing/fixtures/code/git-source.ts';
import { importsOn } from '../../server/testing/fixtures/code/imports.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { DASHBOARD, noBrowser, openBrowser, visit } from './browser.ts';

/** How code comes into an empty repository. */

const skip = noBrowser;

if (skip === false) {
  const browser = await openBrowser();
  const harness = await startHarness({
    own: true,
    dashboard: DASHBOARD,
    env: { IMPORT_ALLOW_HTTP: 'true' },
  });
  const { project, worker } = await importsOn(harness);
  const source = await startGitSource();
  await source.make('shop', { trunk: { 'a.txt': 'a' } });

  test('an empty project shows how to push, and imports with progress; a failure says what to do', async () => {
    const one = await project();
    const cookie = await signIn(harness, one.owner, { proven: true });
    const { page, open, leave } = await visit(browser, { url: harness.url, cookie });
    await open(`/projects/${one.id}`);
    await page.getByText(/git remote add guildhall/).waitFor();
    // First the code, then what is done with it.
    assert.deepEqual(await page.getByRole('heading', { level: 2 }).allTextContents(), [
      'Bring your code into main',
      'Tasks',
    ]);
    await page.getByLabel('Only this status').selectOption('Failed');
    await page.getByText('No task fits').waitFor();
    assert.equal(await page.getByText(/git remote add guildhall/).count(), 0);
    await page.getByLabel('Only this status').selectOption('Every status');
    const form = async (url: string) => {
      await page.getByLabel('Address of the repository').fill(url);
      await page.getByRole('button', { name: 'Import' }).click();
    };
    await form(`${source.url}/none.git`);
    await page.getByText('Waiting for a worker').waitFor();
    worker();
    await page.getByText(/There is no repository at this address/).waitFor();
    await form(`${source.url}/shop.git`);
    await page.getByText(/git remote add guildhall/).waitFor({ state: 'detached' });
    await open(`/projects/${one.id}/repositories`);
    await page.getByText('default branch trunk').waitFor();
    await leave();
  });
} else test('the import of a repository in a browser', { skip });
