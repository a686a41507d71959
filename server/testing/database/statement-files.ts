import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Route } from '../../http/route.ts';
import type { Sent } from './statements.ts';

/**
 * Where the SQL of each operation stands as it is sent, for reviewers and database administrators
 * to read.
 */
const DIRECTORY = join(import.meta.dirname, '../../db/statements');

/** What stands in the file of an operation that sends these statements, in their order. */
export function fileOf({ method, path, operationId }: Route, sent: Sent[]): string {
  const statements = sent.map(({ text }) => tidy(text));
  return [
    `-- ${operationId}: ${method} ${path}`,
    '-- Written by `npm run sql`: to be read, not edited and not loaded.',
    ...statements.map((text) => `\n${text};`),
    '',
  ].join('\n');
}

function tidy(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}

/** What is written now, by the name of the file. */
export async function readFiles(): Promise<Map<string, string>> {
  const names = await readdir(DIRECTORY);
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, await readFile(join(DIRECTORY, name), 'utf8')] as const),
    ),
  );
}

/** Writes all of them, and removes those of operations that are gone. */
export async function writeFiles(files: Map<string, string>): Promise<void> {
  for (const name of (await readFiles()).keys())
    if (!files.has(name)) await rm(join(DIRECTORY, name));
  for (const [name, text] of files) await writeFile(join(DIRECTORY, name), text);
}
