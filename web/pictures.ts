import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * The pictures of docs/pictures/, which `npm run screenshots` makes, and what each was made from. A
 * test compares that with the files as they are, so that no picture shows what is gone.
 */

const SOURCES = join(import.meta.dirname, 'src');
export const PICTURES = join(import.meta.dirname, '../docs/pictures');
export const MANIFEST = join(PICTURES, 'made-from.json');

export const LOOKS = (['light', 'dark'] as const).flatMap((scheme) =>
  [1280, 360].map((width) => ({ scheme, width })),
);

const SHELL = 'shell/shell.tsx';
const PROJECT = [SHELL, 'pages/project/project.tsx'];
const WORKSPACE = [SHELL, 'pages/workspace/workspace.tsx'];
const TASK = [SHELL, 'pages/task/task.tsx'];

/** The pages with pictures, by the name of these: the files that draw them. */
export const PICTURED: Readonly<Record<string, readonly string[]>> = {
  'sign-in': ['pages/sign-in/sign-in.tsx'],
  home: [SHELL, 'pages/home/home.tsx'],
  'project-tasks': [...PROJECT, 'pages/project/tasks.tsx'],
  'project-repositories': [...PROJECT, 'pages/project/repositories.tsx'],
  'task-approval': TASK,
  'task-pull-request': TASK,
  'workspace-members': [...WORKSPACE, 'pages/workspace/members.tsx'],
  'workspace-settings': [...WORKSPACE, 'pages/workspace/settings.tsx'],
  'workspace-billing': [...WORKSPACE, 'pages/billing/billing.tsx'],
  'workspace-usage': [...WORKSPACE, 'pages/usage/usage.tsx'],
};

/** What lies over a page once it is asked for, and is in no picture. */
const OVERLAYS = ['shell/palette.tsx', 'shell/proof.tsx'];

/** What a page was drawn from, as one hash, and its pictures as another. */
interface Made {
  sources: string;
  pictures: string;
}

export const readManifest = (): Record<string, Made> => JSON.parse(readFileSync(MANIFEST, 'utf8'));

export const madeOf = (page: string): Made => ({
  sources: digest(sourcesOf(page), SOURCES),
  pictures: digest(picturesOf(page), PICTURES),
});

export const picturesOf = (page: string): string[] =>
  LOOKS.map(({ scheme, width }) => join(PICTURES, `${page}-${scheme}-${width}.webp`));

/** The tokens, and the files that a page imports, directly or not. */
export function sourcesOf(page: string): string[] {
  const found = new Set([join(SOURCES, 'tokens.css')]);
  const follow = (file: string): void => {
    if (found.has(file) || OVERLAYS.includes(relative(SOURCES, file))) return;
    found.add(file);
    const imports = readFileSync(file, 'utf8')
      .replaceAll(/import type [^;]*;/g, '')
      .matchAll(/(?:from |import\(|import )'(\.[^']+\.tsx?)'/g);
    for (const [, path = ''] of imports) {
      const at = join(dirname(file), path);
      if (!at.endsWith('.d.ts')) follow(at);
    }
  };
  for (const file of PICTURED[page] ?? []) follow(join(SOURCES, file));
  return [...found].sort();
}

const digest = (files: string[], folder: string): string =>
  hash(
    'sha256',
    files
      .map(
        (file) =>
          `${relative(folder, file)} ${existsSync(file) ? hash('sha256', readFileSync(file)) : '-'}`,
      )
      .join('\n'),
  ).slice(0, 16);
