import type { ChangedFile, CommitFacts } from '../git/commits.ts';
import type { Addresses } from '../state.ts';
import { fullName, type Repository } from '../state.ts';
import type { Schema } from '../typed.ts';

const UNSIGNED = {
  verified: false,
  reason: 'unsigned' as const,
  signature: null,
  payload: null,
  verified_at: null,
};

export function commitShape(commit: CommitFacts, repository: Repository, at: Addresses) {
  const { sha, tree, parents, message, author, committer } = commit;
  const url = `${at.api}/repos/${fullName(repository)}`;
  const html = `${at.web}/${fullName(repository)}`;
  return {
    sha,
    node_id: `C_${sha}`,
    url: `${url}/commits/${sha}`,
    html_url: `${html}/commit/${sha}`,
    comments_url: `${url}/commits/${sha}/comments`,
    commit: {
      url: `${url}/git/commits/${sha}`,
      author,
      committer,
      message,
      comment_count: 0,
      tree: { sha: tree, url: `${url}/git/trees/${tree}` },
      verification: UNSIGNED,
    },
    // No account has these addresses of mail.
    author: null,
    committer: null,
    parents: parents.map((each) => ({
      sha: each,
      url: `${url}/commits/${each}`,
      html_url: `${html}/commit/${each}`,
    })),
  } satisfies Schema<'commit'>;
}

export const simpleCommitShape = (commit: CommitFacts) =>
  ({
    id: commit.sha,
    tree_id: commit.tree,
    message: commit.message,
    timestamp: commit.committer.date,
    author: { name: commit.author.name, email: commit.author.email },
    committer: { name: commit.committer.name, email: commit.committer.email },
  }) satisfies Schema<'simple-commit'>;

export function fileShape(
  file: ChangedFile,
  head: string,
  repository: Repository,
  at: Addresses,
): Schema<'diff-entry'> {
  const { filename, previous, status, additions, deletions, blob, patch } = file;
  const html = `${at.web}/${fullName(repository)}`;
  const path = filename.split('/').map(encodeURIComponent).join('/');
  return {
    sha: blob,
    filename,
    status,
    additions,
    deletions,
    changes: additions + deletions,
    blob_url: `${html}/blob/${head}/${path}`,
    raw_url: `${html}/raw/${head}/${path}`,
    contents_url: `${at.api}/repos/${fullName(repository)}/contents/${path}?ref=${head}`,
    ...(patch === undefined ? {} : { patch }),
    ...(previous === undefined ? {} : { previous_filename: previous }),
  };
}
