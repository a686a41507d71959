import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { hashOf, newToken } from '../../server/identity/sign-in/session.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { NARROW, noBrowser, openBrowser, type Visitor, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/**
 * Every page of the dashboard, with something to show: that it is clean, wide and narrow, in light
 * and in the dark. What opens on a page is looked at where a test opens it.
 */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { db, fixtures, request, url } = harness;

  /** A person with something on every page, and where the pages are. */
  async function tenant() {
    const owner = await fixtures.user({ name: 'Ada' });
    const member = await fixtures.user({ name: 'Grace' });
    const org = await fixtures.workspace(owner, { name: 'Northwind', balance: '12.50' });
    await fixtures.member(org, member);
    await fixtures.member(
      org,
      await fixtures.user({ name: 'אברהם בן־יהודה הלוי מירושלים הבנויה' }),
    );
    await fixtures.role(org, { name: 'Consultant' });
    await fixtures.invitation(org, { email: 'eve@example.com', by: owner });
    const team = await fixtures.team(org, { name: 'Core' });
    await fixtures.teamMember(team, member);
    const project = await fixtures.project({ organizationId: org });
    await fixtures.teamProject(team, project);
    await fixtures.grant(project, await fixtures.user({ name: null }), 'viewer');
    const merged = await fixtures.task(project, owner);
    await fixtures.pullRequest(merged, owner);
    await fixtures.merge(merged, owner);
    await fixtures.deploy(merged);
    const task = await fixtures.task(project, owner);
    await fixtures.revision(task, '# A plan\n\nWrite the notes.\n');
    const invited = await request('POST', `/api/projects/${project}/invitations`, {
      key: owner.key,
      body: { email: `${'long'.repeat(12)}@example.com`, role: 'viewer' },
    });
    assert.equal(invited.status, 201, invited.text);
    const invitation = await fixtures.invitation(await fixtures.workspace(member), {
      email: owner.email,
    });
    const webhook = await fixtures.webhook(project);
    const routine = await fixtures.routine(project, owner);
    await fixtures.webhookDelivery(webhook);
    const at = { org: `/workspaces/${org}`, project: `/projects/${project}` };
    return { owner, member, team, task, invitation, webhook, routine, at };
  }

  /** The page of consent, as an application leads there. */
  async function application() {
    const callback = 'http://localhost:33418/callback';
    const made = await request('POST', '/oauth/register', {
      body: { client_name: 'Editor', redirect_uris: [callback] },
    });
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: made.body.client_id,
      redirect_uri: callback,
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    });
    const led = await request('GET', `/oauth/authorize?${query}`);
    return led.headers.get('location') ?? '';
  }

  /** Of an address, the one that it has for the frame around it, too. */
  const bare = (pattern: string) => pattern.replace(/(?<=.)\/$/, '');
  /** The addresses of all pages, as patterns; the router says what it has to those who look for it. */
  const patterns = async ({ page }: Visitor) =>
    (await page.evaluate<string[]>('Object.keys(__TSR_ROUTER__.routesByPath)')).map(bare);
  const shown = async ({ page }: Visitor) =>
    bare(await page.evaluate<string>('__TSR_ROUTER__.state.matches.at(-1).fullPath'));

  test('every page is clean, and there is no other', async () => {
    const { owner, member, team, task, invitation, webhook, routine, at } = await tenant();
    const cookie = await signIn(harness, owner, { proven: true });
    const visitor = await visit(browser, { url, cookie, ...NARROW });
    const { page } = visitor;
    const visited = new Set<string>();
    const heading = (name: string) => page.getByRole('heading', { name, exact: true });
    const button = (name: string) => page.getByRole('button', { name, disabled: false });
    // Each page, and what is there when it has read everything and its menus work.
    const pages = [
      ['/', page.getByRole('link', { name: 'Read the plan: A task' })],
      ['/tasks', page.getByRole('link', { name: 'A task' }).first()],
      ['/new-task', page.getByText('A person approves the plan')],
      ['/help', heading('First steps')],
      [`/invitations/${invitation}`, button('Accept')],
      ['/no-such-page', heading('There is no such page')],
      ['/account', heading('Profile')],
      ['/account/security', page.getByLabel('New password')],
      ['/account/keys', button('Create a key')],
      ['/account/sessions', page.getByText('this one')],
      ['/account/notifications', heading('Muted')],
      ['/account/connections', heading('Connected applications')],
      [await application(), button('Allow')],
      ['/account/activity', heading('Activity')],
      ['/account/billing', page.getByLabel('Amount in USD')],
      ['/account/usage', page.getByText('No task has used anything in these days')],
      ['/operator', page.getByText('This page is for people who operate this server')],
      ['/account/stripe?charge=open', heading('Confirm the charge')],
      [at.org, page.getByRole('main').getByRole('link', { name: 'Project' }).last()],
      [`${at.org}?create=true`, button('Create the project')],
      [`${at.org}/members`, button('Acts on Grace')],
      [`${at.org}/members?person=${member.id}`, button('Save the role')],
      [`${at.org}/roles`, button('Acts on the role Consultant')],
      [`${at.org}/invitations`, button('Acts on the invitation of eve@example.com')],
      [`${at.org}/invitations?create=true`, page.getByLabel('Core')],
      [`${at.org}/teams`, page.getByRole('link', { name: 'Core' })],
      [`${at.org}/teams/${team}`, button('Remove Grace')],
      [`${at.org}/billing`, page.getByLabel('Amount in USD')],
      [`${at.org}/usage`, page.getByText('No task has used anything in these days')],
      [`${at.org}/audit`, page.getByRole('main').getByRole('table')],
      [`${at.org}/settings`, button('Save')],
      [`${at.org}/service-accounts`, page.getByText('No service accounts yet.')],
      [`${at.org}/webhooks`, page.getByText('No webhooks yet.')],
      [`${at.org}/danger`, button('Delete the workspace')],
      [at.project, page.getByRole('main').getByRole('link', { name: 'A task' }).first()],
      [`${at.project}/people`, heading('Pending invitations')],
      [`${at.project}/repositories`, heading('Merge targets')],
      [`${at.project}/deploys`, page.getByRole('main').getByText('Queued')],
      [`${at.project}/routines?routine=${routine}`, page.getByText('It has not run yet.')],
      [`${at.project}/usage`, page.getByText('No task has used anything in these days')],
      [`${at.project}/settings`, heading('General')],
      [`${at.project}/webhooks?webhook=${webhook}`, button('Send again: A task was merged')],
      [`${at.project}/tasks/${task}`, button('Approve version 1')],
    ] as const;
    await visitor.open('/');
    for (const [path, ready] of pages) {
      await page.evaluate(`__TSR_ROUTER__.navigate({ href: '${path}' })`);
      await ready.first().waitFor();
      await visitor.isCleanInEveryLook().catch((cause) => {
        throw new Error(`${path} is not clean`, { cause });
      });
      visited.add(await shown(visitor));
    }
    const all = await patterns(visitor);
    await visitor.leave();

    const stranger = await visit(browser, { url, ...NARROW });
    const token = newToken();
    await db.many(sql`
      insert into sign_in_link (email, purpose, token_hash, expires_at)
      values ('walk@example.com', 'sign_up', ${hashOf(token)}, now() + interval '1 hour')`);
    for (const [path, label] of [
      ['/sign-in', 'Password'],
      [`/links/${token}`, 'New password'],
    ] as const) {
      await stranger.open(path);
      await stranger.page.getByLabel(label).waitFor();
      await stranger.isCleanInEveryLook();
      visited.add(await shown(stranger));
    }
    await stranger.leave();
    const left = all.filter((pattern) => !visited.has(pattern));
    assert.deepEqual(left, [], 'these pages are not among those above');
  });
} else test('every page in a browser', { skip: noBrowser }, () => {});
