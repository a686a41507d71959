import { execFileSync, spawn } from 'node:child_process';
import { createCipheriv } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Repositories that turns are measured on, the same on every machine, kept beside the other data. */
export const SHAPES = {
  small: { files: 200, bytes: 2_000, commits: 1 },
  /** 500 MB. */
  large: { files: 50_000, bytes: 10_000, commits: 1 },
  history: { files: 200, bytes: 2_000, commits: 20_000 },
};

export type ShapeName = keyof typeof SHAPES;

const FILES_IN_A_FOLDER = 100;

/** The folder of one, bare, which is made the first time. */
export async function repositoryOf(directory: string, name: ShapeName): Promise<string> {
  const kept = join(directory, 'turns', `${name}.git`);
  if (existsSync(kept)) return kept;
  const part = `${kept}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', part]);
  const git = spawn('git', ['fast-import', '--quiet'], {
    env: { PATH: process.env.PATH, GIT_DIR: part },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(git, 'exit');
  for (const text of commandsOf(name)) if (!git.stdin.write(text)) await once(git.stdin, 'drain');
  git.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
  await rename(part, kept);
  return kept;
}

function* commandsOf(name: ShapeName): Generator<Buffer | string> {
  const { files, bytes, commits } = SHAPES[name];
  // Bytes that do not compress, as those of pictures and archives.
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16));
  const content = () =>
    Buffer.from(
      cipher
        .update(Buffer.alloc(bytes / 2))
        .toString('hex')
        .slice(0, bytes),
    );
  for (let commit = 0; commit < commits; commit++) {
    const message = `Commit ${commit}`;
    yield `commit refs/heads/main\ncommitter Bench <bench@localhost> ${1_700_000_000 + commit} +0000\n`;
    yield `data ${message.length}\n${message}\n`;
    const changed = commit === 0 ? Array.from({ length: files }, (_, i) => i) : [commit % files];
    for (const file of changed) {
      yield `M 644 inline ${pathOf(file)}\ndata ${bytes}\n`;
      yield content();
      yield '\n';
    }
  }
}

const pathOf = (file: number) =>
  `folder-${Math.floor(file / FILES_IN_A_FOLDER)}/file-${file % FILES_IN_A_FOLDER}.txt`;
