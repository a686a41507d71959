import { askCommits } from './bare.ts';

/** What a commit says of itself. */
export interface CommitFacts {
  sha: string;
  tree: string;
  parents: string[];
  message: string;
  author: { name: string; email: string; date: string };
  committer: { name: string; email: string; date: string };
}

const FIELDS = ['%H', '%T', '%P', '%an', '%ae', '%aI', '%cn', '%ce', '%cI', '%B'].join('%x00');

export async function readCommit(gitDir: string, sha: string): Promise<CommitFacts> {
  const printed = await askCommits(gitDir, ['show', '--no-patch', `--format=${FIELDS}`, sha]);
  const [name = '', tree = '', parents = '', ...rest] = printed.split('\0');
  const [an = '', ae = '', ad = '', cn = '', ce = '', cd = '', message = ''] = rest;
  return {
    sha: name,
    tree,
    parents: parents.split(' ').filter((each) => each !== ''),
    message: message.trim(),
    author: { name: an, email: ae, date: utc(ad) },
    committer: { name: cn, email: ce, date: utc(cd) },
  };
}

const utc = (date: string): string => `${new Date(date).toISOString().slice(0, 19)}Z`;

/** A file that two commits have differently. */
export interface ChangedFile {
  filename: string;
  previous: string | undefined;
  status: 'added' | 'removed' | 'modified' | 'renamed' | 'changed';
  additions: number;
  deletions: number;
  blob: string;
  patch: string | undefined;
}

const LETTERS = { A: 'added', D: 'removed', M: 'modified', R: 'renamed', T: 'changed' } as const;

/** What `head` changes, compared with where it has left `base`. */
export async function changedFiles(
  gitDir: string,
  base: string,
  head: string,
): Promise<ChangedFile[]> {
  const range = `${base}...${head}`;
  const diff = ['diff', '--find-renames', '--no-abbrev', '-z'];
  const raw = (await askCommits(gitDir, [...diff, '--raw', '--numstat', range])).split('\0');
  const counted = raw.splice(raw.findIndex((field) => /^(\d+|-)\t/.test(field)));
  const files: ChangedFile[] = [];
  while (raw.length > 0) {
    const [, , before = '', after = '', letter = ''] = (raw.shift() ?? '').split(' ');
    const status = LETTERS[letter.charAt(0) as keyof typeof LETTERS];
    const old = status === 'renamed' ? raw.shift() : undefined;
    const filename = raw.shift() ?? '';
    const [added, deleted] = (counted.shift() ?? '').split('\t');
    // The two names of a file that was renamed follow in fields of their own.
    if (old !== undefined) counted.splice(0, 2);
    const patch = await askCommits(gitDir, [
      'diff',
      '--find-renames',
      range,
      '--',
      old ?? filename,
      filename,
    ]);
    files.push({
      filename,
      previous: old,
      status,
      // Of a binary file Git prints a dash.
      additions: Number(added) || 0,
      deletions: Number(deleted) || 0,
      blob: status === 'removed' ? before : after,
      patch: patch.includes('\n@@ ') ? patch.slice(patch.indexOf('\n@@ ') + 1) : undefined,
    });
  }
  return files;
}

/** How many commits `head` adds to `base`. */
export const countCommits = async (gitDir: string, base: string, head: string): Promise<number> =>
  Number(await askCommits(gitDir, ['rev-list', '--count', `${base}..${head}`]));
