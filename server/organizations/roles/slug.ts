import { nameKey } from '../../http/input/names.ts';

const BUILT_IN = ['owner', 'admin', 'member', 'viewer'];
const LONGEST = 50;

/**
 * A slug for a role with this name: its letters a to z and digits, with a number if that slug is
 * taken or belongs to a built-in role. A name without such letters becomes `role`.
 */
export function roleSlug(name: string, taken: readonly string[]): string {
  const words = nameKey(name)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  const base = /^[a-z]/.test(words) ? words : words === '' ? 'role' : `role-${words}`;
  const used = new Set([...BUILT_IN, ...taken]);
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `-${number}`;
    const slug = base.slice(0, LONGEST - suffix.length).replace(/-$/, '') + suffix;
    if (!used.has(slug)) return slug;
  }
}
