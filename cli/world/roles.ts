import { nameKey } from '../../server/http/input/names.ts';
import { clean } from './clean.ts';
import { type Item, itemsOf, quote, type Report, text, unique } from './items.ts';

/**
 * The roles that every workspace and every project has, by slug, and their ids in every database.
 */
const BUILT_IN = {
  workspace: { admin: '02', member: '03', viewer: '04' },
  project: { admin: '12', member: '13', viewer: '14' },
} as const;

export type Scope = keyof typeof BUILT_IN;
type BuiltIn = keyof (typeof BUILT_IN)[Scope];

/** The form of a slug, in the file and in the database. */
export const ROLE_SLUG = /^[a-z][a-z0-9_-]{0,49}$/;

const isBuiltIn = (slug: string): slug is BuiltIn => slug in BUILT_IN.workspace;

/** The id of a built-in role, or undefined. */
export const builtInRoleId = (scope: Scope, slug: string): string | undefined =>
  isBuiltIn(slug) ? `00000000-0000-4000-8000-0000000000${BUILT_IN[scope][slug]}` : undefined;

/** Custom roles by workspace, scope and slug: the key of a map. */
export const roleKey = (organization: string | undefined, scope: string, slug: string): string =>
  JSON.stringify([organization, scope, slug]);

const scopeOf = (role: Item): string => text(role.scope) ?? 'workspace';

/** The keys of the custom roles of a workspace. */
export const rolesOf = (organization: Item): string[] =>
  itemsOf(organization, organization.pointer, 'roles').map((role) =>
    roleKey(text(organization.handle), scopeOf(role), text(role.slug) ?? ''),
  );

/** Reports what is wrong with the custom roles of a workspace. */
export function checkRoles(report: Report, organization: Item): void {
  const roles = itemsOf(organization, organization.pointer, 'roles');
  for (const group of Map.groupBy(roles, scopeOf).values()) {
    unique(report, group, 'slug', 'a role of this workspace');
    unique(report, group, 'name', 'a role of this workspace', (name) => nameKey(clean(name)));
  }
  for (const { pointer, slug } of roles)
    if (slug === 'owner' || isBuiltIn(text(slug) ?? ''))
      report(`${pointer}/slug`, `${quote(slug)} is a built-in role: give it another slug`);
}

/** Reports a role that is neither built in nor among the custom roles of the workspace. */
export function checkRole(
  { report, roles }: { report: Report; roles: Set<string> },
  item: Item,
  scope: Scope,
  organization: string | undefined,
): void {
  const slug = text(item.role);
  // The check of the structure reports one that has the wrong form.
  if (slug === undefined || !ROLE_SLUG.test(slug)) return;
  if (isBuiltIn(slug) || roles.has(roleKey(organization, scope, slug))) return;
  report(
    `${item.pointer}/role`,
    `must be one of ${Object.keys(BUILT_IN[scope]).join(', ')}, ` +
      `or the slug of a custom ${scope} role of the workspace`,
  );
}
