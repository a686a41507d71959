import { opendir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { asText, type Cue, withoutCues } from './cues.ts';

/** What the sandbox agent plans: without a model, from the words of the message and the tree. */

const MAX_FILES = 200;

/** Files of the tree, without those of git and of packages. */
export async function filesOf(tree: string): Promise<string[]> {
  const found: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    const entries = await opendir(folder).catch((error: NodeJS.ErrnoException) => {
      // A folder that may not be read is left out, as one of git is.
      if (error.code === 'EACCES' && folder !== tree) return [];
      throw error;
    });
    for await (const entry of entries) {
      if (found.length >= MAX_FILES || ['.git', '.guildhall', 'node_modules'].includes(entry.name))
        continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) await walk(path);
      else if (entry.isFile()) found.push(relative(tree, path));
    }
  };
  await walk(tree);
  return found.sort();
}

/** Paths that a message names, or one made of its words. */
export function targetsOf(message: string): string[] {
  const named = [
    ...withoutCues(message).matchAll(/(?<![\w/.-])([\w-]+(?:\/[\w.-]+)*\.[a-z]{1,5})\b/g),
  ];
  const paths = [...new Set(named.map(([, path = '']) => path))].filter(
    (path) => !path.includes('..'),
  );
  return paths.length > 0 ? paths.slice(0, 10) : [`notes/${slugOf(message)}.md`];
}

const slugOf = (message: string): string =>
  withoutCues(message)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .slice(0, 6)
    .join('-')
    .slice(0, 60) || 'task';

interface Findings {
  message: string;
  /** Files of the work tree. */
  files: string[];
  /** A line about each file that a person has attached. */
  attachments: string[];
  later: Cue[];
}

/** Markdown. The build reads its list of files again. */
export function planOf({ message, files, attachments, later }: Findings): string {
  const targets = targetsOf(message);
  const list = targets.map(
    (path) => `- \`${path}\` (${files.includes(path) ? 'change' : 'create'})`,
  );
  return [
    `# Plan\n\n${titleOf(message)}`,
    `## Context\n\nThe work tree has ${files.length} file${files.length === 1 ? '' : 's'}.`,
    ...(attachments.length > 0 ? [`## Attachments\n\n${attachments.join('\n')}`] : []),
    `## Files\n\n${list.join('\n')}`,
    [
      '## Steps\n',
      ...targets.map((path, i) => `${i + 1}. Write what was asked for to \`${path}\`.`),
      `${targets.length + 1}. List the work tree and compare it with this plan.`,
    ].join('\n'),
    `## Tests\n\n- Each file above exists and is not empty.`,
    ...(later.length > 0 ? [`## Cues\n\n${later.map(asText).join(' ')}`] : []),
  ].join('\n\n');
}

/** The first line of a message, for headings. */
export const titleOf = (message: string): string =>
  withoutCues(message)
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim()
    .slice(0, 200) ?? 'Task';

/** The files that a plan lists; undefined for a text that is no plan of this agent. */
export function filesOfPlan(text: string): string[] | undefined {
  const section = /^## Files\s*\n(.*?)(?=^## |$(?![\s\S]))/ms.exec(text)?.[1];
  const paths = [...(section ?? '').matchAll(/^- `([^`\n]+)`/gm)].map(([, path = '']) => path);
  const safe = paths.filter((path) => !path.startsWith('/') && !path.split('/').includes('..'));
  return safe.length > 0 ? safe : undefined;
}
