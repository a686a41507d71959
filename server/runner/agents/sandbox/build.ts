import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { filesOfPlan, targetsOf, titleOf } from './plan.ts';
import type { Talk } from './talk.ts';

/** Writes every file of the plan, then lists the tree by a command. Returns the last message. */
export async function build(prompt: string, tree: string, talk: Talk): Promise<string> {
  const targets = filesOfPlan(prompt) ?? targetsOf(prompt);
  await talk.todo(targets, 0);
  for (const [i, path] of targets.entries()) {
    await talk.pause();
    await edit(path, prompt, tree, talk);
    await talk.todo(targets, i + 1);
  }
  const listing = await talk.tool({ title: 'ls -R', kind: 'execute' }, () => list(tree));
  const count = listing.split('\n').filter(Boolean).length;
  return `I have written ${targets.map((path) => `\`${path}\``).join(', ')}; \`ls\` lists ${count} lines.`;
}

/** Leaves a file for a person, as the instructions of a build turn say. */
export async function leave(tree: string, path: string): Promise<void> {
  const file = join(tree, '.guildhall/artifacts', path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `This is ${path}.\n`);
}

const edit = (path: string, prompt: string, tree: string, talk: Talk): Promise<void> =>
  append(tree, path, `${commentFor(path, titleOf(prompt.replace(/^# Plan\s*/m, '')))}\n`, talk);

/** Adds a text to a file, which is made if there is none. Throws Refused. */
export async function append(tree: string, path: string, added: string, talk: Talk) {
  const file = join(tree, path);
  const before = await readFile(file, 'utf8').catch(() => undefined);
  const newText = `${before ?? ''}${added}`;
  const diff = { path, newText, ...(before === undefined ? {} : { oldText: before }) };
  await talk.edit(diff, async () => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, newText);
  });
}

/** A line that the language of the file ignores. */
function commentFor(path: string, title: string): string {
  if (/\.(md|txt)$/.test(path)) return `- ${title}`;
  if (/\.(py|sh|rb|ya?ml|toml)$/.test(path)) return `# ${title}`;
  if (/\.(xml|html)$/.test(path)) return `<!-- ${title.replaceAll('--', '')} -->`;
  return `// ${title}`;
}

const list = (tree: string): Promise<string> =>
  new Promise((resolve) => {
    execFile('ls', ['-R', '.'], { cwd: tree }, (_error, stdout) => resolve(stdout));
  });
