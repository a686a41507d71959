import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { fakePrograms } from '../../server/platform/catalog/fake-odoo.ts';
import { dumpOf } from '../../server/testing/fixtures/erp/zips.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { folderOfProcess } from '../../server/testing/harness/folder-of-process.ts';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { DASHBOARD, NARROW, noBrowser, openBrowser, type Visit, visit } from './browser.ts';

/** The dump of a project, from which its throwaway Odoos start. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const catalog = join(await folderOfProcess('guildhall-catalog-'), 'catalog.json');
  const erp_programs = fakePrograms.map((each) => ({ ...each, prepare: ['true'] }));
  await writeFile(catalog, JSON.stringify({ erp_programs }));
  const harness = await startHarness({
    dashboard: DASHBOARD,
    env: { ERP_INSTANCES: 'command', GUILDHALL_CATALOG: catalog },
  });
  const { db, fixtures, unchanged, url } = harness;

  async function settings(look: Partial<Visit> = {}, as: 'owner' | 'viewer' = 'owner') {
    const owner = await fixtures.user();
    const workspace = await fixtures.workspace(owner);
    const project = await fixtures.project({ organizationId: workspace });
    const person = as === 'owner' ? owner : await fixtures.user();
    if (as === 'viewer') await fixtures.member(workspace, person, 'viewer');
    const visitor = await visit(browser, { url, cookie: await signIn(harness, person), ...look });
    const open = () => visitor.open(`/projects/${project}/settings`);
    const heading = visitor.page.getByRole('heading', { name: 'Odoo database' });
    const part = visitor.page.locator('section').filter({ has: heading });
    const dialog = visitor.page.getByRole('dialog');
    const choose = (bytes: Buffer) =>
      dialog
        .getByLabel('Backup')
        .setInputFiles({ name: 'shop.zip', mimeType: 'application/zip', buffer: bytes });
    return { ...visitor, owner, project, open, part, dialog, choose };
  }

  const dumpOfProject = (project: string) =>
    db.maybeOne<{ production: boolean; approved: string | null; state: string }>(sql`
      select production, approved_by_user_id as approved, state
        from odoo_dump where project_id = ${project}`);

  test('a dump is uploaded, one of production by the word of a person, shown as it is prepared, and deleted', async () => {
    const { project, owner, part, dialog, choose, open, isCleanInEveryLook, leave } =
      await settings();
    await open();
    await part.getByText('No dump yet').waitFor();
    await part.getByRole('button', { name: 'Upload a dump' }).click();
    await choose(dumpOf('18.0'));
    assert.ok(await dialog.getByRole('button', { name: 'Upload it' }).isDisabled());
    await dialog.getByLabel('Where it is from').selectOption('yes');
    assert.ok(await dialog.getByRole('button', { name: 'Upload it' }).isDisabled());
    await dialog.getByLabel(/^I approve/).check();
    await isCleanInEveryLook();
    await dialog.getByRole('button', { name: 'Upload it' }).click();
    await part.getByText('Being prepared').waitFor();
    await part.getByText('Throwaway Odoos that are started now wait for it.').waitFor();
    await part.getByText(/^A copy of a production system, which a person has approved/).waitFor();
    assert.deepEqual(await dumpOfProject(project), {
      production: true,
      approved: owner.id,
      state: 'preparing',
    });
    await db.many(sql`
      update odoo_dump set state = 'ready', prepared_at = now() where project_id = ${project}`);
    await part.getByText('Ready', { exact: true }).waitFor();
    await isCleanInEveryLook();
    await part.getByRole('button', { name: 'Delete it' }).click();
    await isCleanInEveryLook();
    await dialog.getByRole('button', { name: 'Delete the dump' }).click();
    await part.getByText('No dump yet').waitFor();
    assert.equal(await dumpOfProject(project), undefined);
    await dialog.waitFor({ state: 'hidden' });
    await leave();
  });

  test('who chooses no file after all stays in the dialog, with what was said there', async () => {
    const { part, dialog, open, leave } = await settings();
    await open();
    await part.getByRole('button', { name: 'Upload a dump' }).click();
    await dialog.getByLabel('Where it is from').selectOption('yes');
    // Chromium says so when its own window is left.
    await dialog
      .getByLabel('Backup')
      .evaluate((field) => field.dispatchEvent(new Event('cancel', { bubbles: true })));
    await dialog.getByLabel(/^I approve/).check();
    assert.equal(await dialog.getByLabel('Where it is from').inputValue(), 'yes');
    await dialog.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await leave();
  });

  test('what is wrong with a file stands beside it, and one that has failed says why', async () => {
    const {
      project,
      owner,
      part,
      dialog,
      choose,
      open,
      isCleanInEveryLook,
      expectErrors,
      context,
    } = await settings(NARROW);
    await fixtures.odooDump(project, owner, { state: 'failed' });
    await open();
    await part.getByText('It cannot be read.').waitFor();
    await part.getByRole('button', { name: 'Replace the dump' }).click();
    await dialog.getByLabel('Where it is from').selectOption('no');
    for (const [bytes, said] of [
      [Buffer.from('no zip'), /a backup of a database as Odoo makes it/],
      [dumpOf('17.0'), /of the ERP version that the project has/],
    ] as const) {
      await choose(bytes);
      await unchanged(async () => {
        await dialog.getByRole('button', { name: 'Upload it' }).click();
        await dialog.getByText(said).waitFor();
      });
    }
    expectErrors(/422/);
    await isCleanInEveryLook();
    await choose(dumpOf('18.0'));
    await dialog.getByRole('button', { name: 'Upload it' }).click();
    await part.getByText('Being prepared').waitFor();
    assert.equal((await dumpOfProject(project))?.production, false);
    await dialog.waitFor({ state: 'hidden' });
    await context.close();
  });

  test('who may not change it sees what there is; without one, nothing is said of it', async () => {
    const { project, owner, page, part, open, isClean, leave } = await settings({}, 'viewer');
    await open();
    await page.getByRole('heading', { name: 'ERP connections' }).waitFor();
    assert.equal(await part.count(), 0);
    await fixtures.odooDump(project, owner);
    await open();
    await part.getByText('Ready', { exact: true }).waitFor();
    assert.equal(await part.getByRole('button').count(), 0);
    await isClean();
    await leave();
  });
} else test('the dump of a project in a browser', { skip: noBrowser }, () => {});
