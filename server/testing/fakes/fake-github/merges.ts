import { join } from 'node:path';
import { runGit } from '../../../code/repositories/git.ts';
import { commitTree, gitIn, mergedTree } from './git/bare.ts';
import { readCommit } from './git/commits.ts';
import { authorOf } from './pulls.ts';
import { type Account, fullName, type PullRequest, type Repository } from './state.ts';

/** The three ways in which GitHub merges. */
export type Method = 'merge' | 'squash' | 'rebase';

interface Merge {
  method: Method;
  title: string | undefined;
  message: string | undefined;
  by: Account;
}

/** Makes the commit that the base will have; undefined if the branches conflict. */
export async function makeMerge(
  repository: Repository,
  pull: PullRequest,
  { method, title, message, by }: Merge,
): Promise<string | undefined> {
  const { gitDir } = repository;
  const { head, base } = pull;
  const tree = await mergedTree(gitDir, base.sha, head.sha);
  if (tree === undefined) return undefined;
  if (method === 'rebase') return rebased(gitDir, base.sha, head.sha);
  const merges = method === 'merge';
  const own = merges
    ? [
        `Merge pull request #${pull.number} from ${fullName(repository).split('/')[0]}/${head.ref}`,
        pull.title,
      ]
    : [`${pull.title} (#${pull.number})`, await messagesOf(gitDir, base.sha, head.sha)];
  return commitTree(gitDir, {
    tree,
    parents: merges ? [base.sha, head.sha] : [base.sha],
    message: [title ?? own[0], message ?? own[1]].filter(Boolean).join('\n\n'),
    author: authorOf(by),
  });
}

async function messagesOf(gitDir: string, base: string, head: string): Promise<string> {
  const format = ['log', '--reverse', '--format=* %s', `${base}..${head}`];
  return gitIn(gitDir, format);
}

/** Repeats each commit after the base, in a work tree of its own. */
async function rebased(gitDir: string, base: string, head: string): Promise<string | undefined> {
  const tree = join(gitDir, `rebase-${head}`);
  const git = (...args: string[]) => runGit(['-C', tree, ...args], {});
  await gitIn(gitDir, ['worktree', 'add', '--quiet', '--detach', tree, base]);
  try {
    const printed = await gitIn(gitDir, [
      'rev-list',
      '--reverse',
      '--no-merges',
      `${base}..${head}`,
    ]);
    for (const commit of printed.split('\n')) {
      const { author } = await readCommit(gitDir, commit);
      await git('cherry-pick', '--allow-empty', '--keep-redundant-commits', commit);
      await git(
        'commit',
        '--quiet',
        '--amend',
        '--no-edit',
        '--author',
        `${author.name} <${author.email}>`,
      );
    }
    return await git('rev-parse', 'HEAD');
  } catch (error) {
    // A commit of its own may conflict where all together do not.
    if ((error as { code?: unknown }).code === 1) return undefined;
    throw error;
  } finally {
    await gitIn(gitDir, ['worktree', 'remove', '--force', tree]);
  }
}
