/** Runs git in a bare repository; each character that it prints stands for a byte. */
export type GitIn = (args: string[]) => Promise<string>;

/** A submodule as a commit and its `.gitmodules` have it; all of it is whatever someone has pushed. */
export interface Submodule {
  path: string;
  commit: string;
  /** Undefined if `.gitmodules` does not name one. */
  url: string | undefined;
}

/** Bytes of `.gitmodules` that are read. */
const MOST_BYTES = 65_536;
const FILE = '.gitmodules';

/** The submodules of a commit; none where its `.gitmodules` is no file, or too large. */
export async function readSubmodules(git: GitIn, commit: string): Promise<Submodule[]> {
  const [entry = ''] = (
    await git(['ls-tree', '-z', '--long', '--full-tree', commit, '--', FILE])
  ).split('\0');
  const [, size] = /^100(?:644|755) blob [0-9a-f]+ +(\d+)\t/.exec(entry) ?? [];
  if (size === undefined || Number(size) > MOST_BYTES) return [];
  const urls = await urlsByPath(git, commit);
  const listed = await git(['ls-tree', '-r', '-z', '--full-tree', commit]);
  return listed.split('\0').flatMap((line) => {
    const [, id, path] = /^160000 commit ([0-9a-f]{40,64})\t(.+)$/s.exec(line) ?? [];
    return id === undefined || path === undefined
      ? []
      : [{ path, commit: id, url: urls.get(path) }];
  });
}

/** Without what it includes: Git would read files of this machine. */
async function urlsByPath(git: GitIn, commit: string): Promise<Map<string, string>> {
  const args = ['config', '--no-includes', `--blob=${commit}:${FILE}`, '--null', '--list'];
  const printed = await git(args).catch((error) => {
    // What cannot be parsed names nothing.
    if (typeof error.code !== 'number') throw error;
    return '';
  });
  const named = new Map<string, { path?: string; url?: string }>();
  for (const item of printed.split('\0')) {
    const [, name, key, value] = /^submodule\.(.*)\.(path|url)\n(.*)$/s.exec(item) ?? [];
    if (name === undefined || key === undefined || value === undefined) continue;
    named.set(name, { ...named.get(name), [key]: value });
  }
  return new Map(
    [...named.values()].flatMap(({ path, url }) =>
      path === undefined || url === undefined ? [] : [[path, url] as const],
    ),
  );
}

/** Whether a path of a submodule is one that can be filled: plain folders below the work tree. */
export const isPlain = (path: string): boolean =>
  path.length <= 500 &&
  !path.startsWith('-') &&
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  !/[\u0000-\u001f\u007f-\u00ff\\]/.test(path) &&
  path.split('/').every((part) => part !== '' && !/^\.\.?$|^\.git$|^git~/i.test(part));
