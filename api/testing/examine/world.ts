import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorldIds } from '../../../cli/world/rows.ts';

const DEMO = join(import.meta.dirname, '../../../demo/world.json');

/**
 * The demo world with its workspaces, projects and tasks `copies` times, named `acme-0`, `acme-1`
 * and so on.
 */
export async function manyWorkshops(tag: string, copies: number): Promise<object> {
  const { users, ...workshop } = JSON.parse(await readFile(DEMO, 'utf8'));
  for (const user of users) user.email = user.email.replace('@', `+${tag}@`);
  const world: Record<string, unknown[]> = { users, organizations: [], projects: [], tasks: [] };
  for (let copy = 0; copy < copies; copy++) {
    const numbered = (name: string) => `${name}-${copy}`;
    const renamed = JSON.parse(JSON.stringify(workshop), (key, value) => {
      if (typeof value === 'string')
        return ['handle', 'organization', 'project'].includes(key) ? numbered(value) : value;
      return key === 'projects' && typeof value[0] === 'string' ? value.map(numbered) : value;
    });
    for (const [list, items] of Object.entries(renamed)) world[list]?.push(...(items as unknown[]));
  }
  return world;
}

/**
 * Writes into `home` what schemathesis.toml and hooks.py read: dictionaries of ids, and world.json.
 * The workshop numbered 0 is there to be asked about and changed; the workspaces of the others, to
 * be handed over and deleted.
 */
export async function describeWorld(
  home: string,
  url: string,
  ids: WorldIds,
  { stranger }: { stranger: boolean },
): Promise<void> {
  const { organizations, teams, projects, tasks, users, cards, keys } = ids;
  const named = (all: Record<string, string>, fits: RegExp) =>
    Object.keys(all).flatMap((name) => (fits.test(name) ? [all[name] as string] : []));
  const dictionaries = {
    workspaces: named(organizations, /-0$/),
    acme: named(organizations, /^acme-0$/),
    teams: named(teams, /^(core|storefront)-0$/),
    projects: named(projects, /-0$/),
    tasks: named(tasks, /./),
    users: Object.values(users).map(({ id }) => id),
    cards: named(cards, /./),
  };
  for (const [name, values] of Object.entries(dictionaries)) {
    await writeFile(join(home, `${name}.dict`), values.map((value) => `"${value}"\n`).join(''));
  }

  const acme = { org_id: organizations['acme-0'] };
  const shop = { project_id: projects['shop-0'] };
  const bob = users.bob?.id;
  const charge = { amount: 12.5, payment_method_id: cards['ada/visa'] };
  const secondPage = async (path: string) => {
    const headers = { authorization: `Bearer ${keys['ada-laptop']}` };
    const page = await fetch(`${url}/api/${path}?limit=1`, { headers });
    return { cursor: /[?&]cursor=([\w-]+)/.exec(page.headers.get('link') ?? '')?.[1] };
  };
  const examples = {
    delete_workspace: { ...acme, transfer_balance_to_user_id: bob },
    transfer_ownership: { ...acme, body: { new_owner_user_id: bob } },
    update_team: { ...acme, team_id: teams['core-0'], 'If-Match': '*', body: { name: 'Heart' } },
    list_pending_invitations: {
      ...acme,
      ...(await secondPage(`organizations/${acme.org_id}/invitations`)),
    },
    add_funds: { body: charge },
    approve_plan: { task_id: tasks['approvals-0'], 'If-Match': '*' },
    list_project_people: { ...shop, ...(await secondPage(`projects/${shop.project_id}/people`)) },
    add_workspace_funds: { ...acme, body: charge },
    get_workspace_balance: acme,
    get_workspace_auto_reload: acme,
    update_workspace_auto_reload: acme,
  };
  const ofWorld = [organizations, teams, projects, tasks].flatMap((all) => Object.values(all));
  const world = {
    examples,
    kept: dictionaries.workspaces,
    disposable: named(organizations, /^acme-[1-9]/),
    secret: stranger ? ofWorld : [],
  };
  await writeFile(join(home, 'world.json'), JSON.stringify(world));
}
