import { copyFile, link, mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { commitsAt, firstCommitOf, runGit } from '../../../code/index.ts';
import { changed } from './failures.ts';

const WITHIN_MS = 600_000;

/** Remembers that the import has begun to change references: from then on it is only finished. */
const markerOf = (importId: string): string => `refs/guildhall/imported/${importId}`;

/**
 * Puts a copy in place. Objects come first, which change nothing that can be seen. Then one transaction
 * of references replaces the first commit by the default branch, if it is still all that there is, and
 * leaves a mark; everything after the mark may be done again, by any worker, until it is done. Errors:
 * ImportFailed, before anything has changed.
 */
export async function placeCopy(
  gitDir: string,
  copy: string,
  { importId, defaultBranch }: { importId: string; defaultBranch: string },
): Promise<void> {
  const git = (args: string[], input?: string) =>
    runGit(
      args,
      { GIT_DIR: gitDir },
      { within: WITHIN_MS, ...(input === undefined ? {} : { input }) },
    );
  await takeObjects(gitDir, copy);
  const refs = await refsOf(copy);
  const ref = `refs/heads/${defaultBranch}`;
  const marker = markerOf(importId);
  const [begun] = await commitsAt(git, [marker]);
  if (begun === undefined) await replaceFirst(gitDir, git, { refs, ref, marker });
  await git(['symbolic-ref', 'HEAD', ref]);
  const there = new Set((await refsOf(gitDir)).keys());
  const missing = [...refs].filter(([name]) => !there.has(name));
  if (missing.length > 0)
    await change(
      git,
      missing.map(([name, id]) => `create ${name} ${id}`),
    );
  await git(['pack-refs', '--all']);
}

type Git = (args: string[], input?: string) => Promise<string>;

/** Once the import has ended, the mark says nothing any more. */
export async function removeMarker(gitDir: string, importId: string): Promise<void> {
  await runGit(['update-ref', '-d', markerOf(importId)], { GIT_DIR: gitDir });
}

async function replaceFirst(
  gitDir: string,
  git: Git,
  { refs, ref, marker }: { refs: Map<string, string>; ref: string; marker: string },
): Promise<void> {
  const first = await firstCommitOf(gitDir);
  if (first === undefined) throw changed();
  const theirs = refs.get(first.ref);
  const id = refs.get(ref) as string;
  try {
    await change(git, [
      `create ${marker} ${id}`,
      theirs === undefined
        ? `delete ${first.ref} ${first.commit}`
        : `update ${first.ref} ${theirs} ${first.commit}`,
      ...(ref === first.ref ? [] : [`create ${ref} ${id}`]),
    ]);
  } catch (error) {
    // Pushed or merged since it was looked at.
    if ((await firstCommitOf(gitDir)) === undefined) throw changed();
    throw error;
  }
}

/** All of them or none. */
const change = (git: Git, lines: string[]): Promise<string> =>
  git(['update-ref', '--stdin'], ['start', ...lines, 'prepare', 'commit', ''].join('\n'));

async function refsOf(gitDir: string): Promise<Map<string, string>> {
  const format = '--format=%(objectname) %(refname)';
  // Each character stands for a byte, because names of tags need not be UTF-8.
  const printed = await runGit(
    ['for-each-ref', format, 'refs/heads', 'refs/tags'],
    { GIT_DIR: gitDir },
    { within: WITHIN_MS, input: '' },
  );
  return new Map(
    printed
      .split('\n')
      .filter(Boolean)
      .map((line) => [line.slice(41), line.slice(0, 40)]),
  );
}

/** The index last: git uses a pack once it has one. */
const PIECES = ['.pack', '.rev', '.idx'];

async function takeObjects(gitDir: string, copy: string): Promise<void> {
  const [from, to] = [copy, gitDir].map((each) => join(each, 'objects', 'pack')) as [
    string,
    string,
  ];
  await mkdir(to, { recursive: true });
  const names = await readdir(from);
  for (const piece of PIECES)
    for (const name of names.filter((each) => /^pack-[0-9a-f]{40,64}\.\w+$/.test(each)))
      if (name.endsWith(piece)) await take(join(from, name), join(to, name));
}

/** The copy keeps its own, so that this can be done again. */
async function take(from: string, to: string): Promise<void> {
  await link(from, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return;
    // Some shared file systems have no links.
    const aside = `${to}.tmp_import`;
    await copyFile(from, aside);
    await rename(aside, to);
  });
}
