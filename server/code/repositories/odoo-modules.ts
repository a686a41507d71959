import { runGit } from './git.ts';
import type { OdooFields } from './odoo-fields.ts';
import { ADDONS_PATH, MODULE_NAME, MOST_ADDONS, MOST_MODULES } from './odoo-fields.ts';

/** The Odoo modules of a commit, as git lists them: no link is followed, and nothing is checked out. */
interface OdooModules {
  /** Folders that hold modules; `.` for the root. */
  addons: string[];
  /** Those to install, with the id of their tree; empty for modules of Odoo itself. */
  modules: Record<string, string>;
  /** Those of the repository. */
  own: string[];
}

const MANIFEST = '__manifest__.py';
/** Folders above a manifest. */
const DEEPEST = 6;
const MOST_MANIFESTS = 1_000;
/** Bytes of a list of files. */
const MOST_LISTED = 64 * 1_048_576;

/** Undefined for a commit without modules. `fault` is a sentence for people. Throws as `runGit` does. */
export async function odooModulesIn(
  gitDir: string,
  commit: string,
  fields: OdooFields = {},
  signal?: AbortSignal,
): Promise<OdooModules | { fault: string } | undefined> {
  // With an input, each character that is printed stands for a byte.
  const printed = await runGit(
    ['ls-tree', '-r', '-t', '--full-tree', '-z', commit],
    { GIT_DIR: gitDir },
    { input: '', most: MOST_LISTED, signal },
  ).catch((error) => {
    if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return undefined;
    throw error;
  });
  if (printed === undefined)
    return { fault: 'The repository has too many files to look for Odoo modules among them.' };
  const trees = new Map<string, string>();
  const manifests: string[] = [];
  for (const line of printed.split('\0')) {
    const [, mode, type, id = '', path = ''] = /^(\d+) (\w+) ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    if (type === 'tree') trees.set(path, id);
    // A link is a blob, too.
    if (type === 'blob' && mode?.startsWith('100') && path.endsWith(`/${MANIFEST}`))
      manifests.push(path.slice(0, -MANIFEST.length - 1));
  }
  if (manifests.length > MOST_MANIFESTS)
    return { fault: `The repository has more than ${MOST_MANIFESTS} Odoo modules.` };
  const found = manifests
    .map((path) => ({ path, name: nameOf(path), parent: parentOf(path) }))
    .filter(
      ({ path, name, parent }) =>
        new RegExp(MODULE_NAME).test(name) &&
        new RegExp(ADDONS_PATH).test(parent) &&
        path.split('/').length <= DEEPEST,
    );
  const missing = fields.addons?.find((path) => path !== '.' && !trees.has(path));
  if (missing !== undefined)
    return { fault: `.guildhall.yml names the folder ${missing} of addons, which is not there.` };
  const addons = fields.addons ?? [...new Set(found.map(({ parent }) => parent))].toSorted();
  if (addons.length > MOST_ADDONS)
    return { fault: `Modules are in ${addons.length} folders: name those to use as odoo.addons.` };
  const own = new Map<string, string>();
  for (const { path, name, parent } of found)
    if (addons.includes(parent) && !own.has(name)) own.set(name, trees.get(path) ?? '');
  const names = fields.modules ?? [...own.keys()].toSorted();
  if (names.length === 0) return undefined;
  if (names.length > MOST_MODULES)
    return { fault: `There are ${names.length} modules: name those to install as odoo.modules.` };
  return {
    addons,
    modules: Object.fromEntries(names.map((name) => [name, own.get(name) ?? ''])),
    own: [...own.keys()].toSorted(),
  };
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const parentOf = (path: string) =>
  path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
