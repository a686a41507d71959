import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bindFolder, checkRepositories } from '../../code/repositories/repository-folder.ts';
import { openDatabase } from '../../db/database/database.ts';
import { findEmbedded } from '../../db/embedded/embedded.ts';
import { EXAMPLES, PATH_IDS } from '../../http/examples.ts';
import type { Route } from '../../http/route.ts';
import { routes } from '../../main/routes.ts';
import { serverSecret } from '../../main/server-secret.ts';
import { openServices } from '../../main/services.ts';
import { inviteLinks } from '../../organizations/invitations/invite-link.ts';
import { readConfig } from '../../platform/config/config.ts';
import { openFileStore } from '../../platform/files/open-file-store.ts';
import { openEventLog } from '../../tasks/events/open-event-log.ts';
import { GITHUB_IDS } from '../contract/github-ids.ts';
import {
  idsOf,
  makeTenant,
  OF_A_BRANCH,
  type Standing,
  sampleOf,
  type Tenant,
} from '../contract/tenant.ts';
import type { FakeGithub } from '../fakes/fake-github/fake.ts';
import { giveCommits } from '../fixtures/code/task-branch.ts';
import { fixturesOn, type User } from '../fixtures/tenants.ts';

/** What an operation changes so that it cannot succeed with the same ids again. */
const USES_UP =
  /^(accept|answer|approve|cancel|claim|decline|delete|detach|leave|reject|remove|request|resume|revise|revoke|transfer)_/;

/** Of the caller themselves, in each tenant: their installations, cards and charges. */
const OWN = [...GITHUB_IDS, 'payment_method_id', 'setup_id', 'top_up_id'];

/**
 * A tenant that is there to be read and changed, and `spares` more for each operation that uses up
 * what it is called with; the same caller stands in all of them.
 */
interface World {
  caller: User;
  table: Route[];
  kept: Tenant;
  spares: Map<Route, Tenant[]>;
}

/**
 * Makes a world in the database and the files of a running server, whose environment is `env`, and on
 * its fake for GitHub.
 */
export async function makeWorld(
  env: Record<string, string | undefined>,
  github: FakeGithub,
  { standing, spares }: { standing: Standing; spares: number },
): Promise<World> {
  const config = readConfig(env);
  const embedded = await findEmbedded(config.dataDir);
  if (embedded === undefined) throw new Error('The server that is fuzzed has no database.');
  const db = openDatabase({ url: embedded.url, ...config.database });
  const files = await openFileStore(config.files.folder, undefined);
  try {
    const secret = await serverSecret(config);
    const inviteLink = inviteLinks(config.publicUrl, secret);
    const fixtures = fixturesOn(db);
    const caller = await fixtures.user();
    const tenant = () =>
      makeTenant({ fixtures, inviteLink, db, files, github }, standing, { caller });
    const services = openServices({
      db,
      config,
      files,
      serverSecret: secret,
      topUps: { processor: 'sandbox' } as never, // describing the routes uses none of these
      cardSetups: { processor: 'sandbox' } as never,
      events: undefined as never,
      outgoing: undefined as never,
    });
    const table = routes(services);
    const world: World = { caller, table, kept: await tenant(), spares: new Map() };
    for (const route of table.filter(({ operationId }) => USES_UP.test(operationId)))
      world.spares.set(route, await Promise.all(Array.from({ length: spares }, tenant)));
    await checkRepositories(config.repositories);
    await bindFolder(db, config.repositories);
    for (const route of table.filter(({ operationId }) => OF_A_BRANCH.includes(operationId))) {
      const { project_id: projectId = '', task_id: taskId = '' } = idsOf(route, world.kept);
      await giveCommits(config.repositories, { projectId, taskId });
    }
    await tell(embedded.url, world.kept.ids.task_id as string);
    return world;
  } finally {
    await files.close();
    await db.close();
  }
}

/** Appends events of a task, so that requests for its events need not wait for one. */
async function tell(url: string, taskId: string): Promise<void> {
  const log = openEventLog({ url });
  try {
    await log.acquire(taskId, 1n, 'fuzz');
    const events = ['One', 'Two', 'Three'].map((text) => ({ type: 'notice', payload: { text } }));
    await log.append(taskId, 1n, events);
  } finally {
    await log.close();
  }
}

/**
 * Writes into `home` what schemathesis.toml and hooks.py read: dictionaries of ids, and world.json,
 * which has an example for each operation, what replaces its ids when it uses them up, the ids of
 * the tenant that stays, and those that a stranger must not get anything for.
 */
export async function describeWorld(
  home: string,
  url: string,
  { caller, table, kept, spares }: World,
  { stranger, odooUrl }: { stranger: boolean; odooUrl: string },
): Promise<void> {
  const dictionaries: Record<string, string[]> = { cards: [kept.card] };
  for (const name of Object.keys(PATH_IDS)) dictionaries[name] = [kept.ids[name] as string];
  for (const [name, values] of Object.entries(dictionaries))
    await writeFile(join(home, `${name}.dict`), values.map((value) => `"${value}"\n`).join(''));

  const examples: Record<string, object> = {};
  for (const route of table) {
    const { query, headers, body } = sampleOf(route, kept, odooUrl);
    const { version, number, name } = EXAMPLES;
    const path = { version, number, name, ...idsOf(route, kept) };
    const cursor = await secondPage(url, route, path, caller);
    examples[route.operationId] = { path, query: { ...query, ...cursor }, header: headers, body };
  }
  const renewed = [...spares].map(([route, tenants]) => [
    route.operationId,
    tenants.map((spare) => ({
      path: idsOf(route, spare),
      values: replacements(route, kept, spare),
    })),
  ]);
  const all = [kept, ...[...spares.values()].flat()];
  const secrets = ({ ids }: Tenant) =>
    Object.entries(ids).flatMap(([name, id]) => (OWN.includes(name) ? [] : [id]));
  const secret = stranger ? all.flatMap(secrets) : [];
  const known = new Set(table.flatMap((route) => Object.values(idsOf(route, kept))));
  const world = { examples, renewed: Object.fromEntries(renewed), secret, kept: [...known] };
  await writeFile(join(home, 'world.json'), JSON.stringify(world));
}

/** The cursor of the second page, of a list that has one. */
async function secondPage(
  url: string,
  { path, query }: Route,
  ids: Record<string, string>,
  { key }: User,
): Promise<{ cursor?: string }> {
  if (query?.properties.cursor === undefined) return {};
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] as string);
  const page = await fetch(`${url}${filled}?limit=1`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await page.body?.cancel();
  const cursor = /[?&]cursor=([\w-]+)/.exec(page.headers.get('link') ?? '')?.[1];
  return cursor === undefined ? {} : { cursor };
}

/** What stands in a request for one tenant, and what for another. */
function replacements(route: Route, from: Tenant, to: Tenant): Record<string, string> {
  const of = (tenant: Tenant): Record<string, string> => ({
    ...idsOf(route, tenant),
    successor: tenant.successor.id,
    card: tenant.card,
    option: tenant.option,
    token: tenant.inviteToken,
  });
  const values = of(to);
  return Object.fromEntries(
    Object.entries(of(from)).map(([name, value]) => [value, values[name] as string]),
  );
}
