import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Route } from '../../http/route.ts';
import { makeTenant, requestSample, successOf } from '../contract/tenant.ts';
import type { Harness } from '../harness/harness.ts';
import { type Sent, watchStatements } from './statements.ts';

/**
 * Where the SQL of each operation stands as it is sent, for reviewers and database administrators
 * to read.
 */
const DIRECTORY = join(import.meta.dirname, '../../db/statements');

/** The file of each operation, by name: every statement that its sample sends, in their order. */
export async function statementFiles(harness: Harness): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  let sent: Sent[] = [];
  watchStatements((each) => sent.push(each));
  for (const route of harness.routes) {
    const tenant = await makeTenant(harness);
    // Once for the key to be known, as it is in all but the first request with it.
    await harness.request('GET', '/api/billing/balance', { key: tenant.caller.key });
    sent = [];
    const reply = await requestSample(harness, route, tenant);
    if (reply.status !== successOf(route)) throw new Error(`${route.operationId}: ${reply.text}`);
    files.set(`${route.operationId}.sql`, fileOf(route, sent));
  }
  return files;
}

// The use of keys is written once in a while, by whichever request comes then.
const isBackground = ({ text }: Sent) => text.includes('last_used_at');

function fileOf({ method, path, operationId }: Route, sent: Sent[]): string {
  const statements = sent.filter((each) => !isBackground(each)).map(({ text }) => tidy(text));
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
