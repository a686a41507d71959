import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { SETTINGS as TABLE } from '../server/platform/config/settings.ts';

/** Helpers for the tests of this folder. */

export const ROOT = join(import.meta.dirname, '..');
export const SETTINGS: ReadonlySet<string> = new Set(Object.keys(TABLE));

export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

// biome-ignore lint/suspicious/noExplicitAny: a file holds anything; the tests say what it should.
export type Anything = any;

/** The documents of a YAML file; throws on any fault, including duplicate keys. */
export const documents = (path: string): Anything[] =>
  parseAllDocuments(read(path), { strict: true, merge: true, uniqueKeys: true }).map((document) => {
    if (document.errors.length > 0) throw new Error(`${path}: ${document.errors.join('; ')}`);
    return document.toJS();
  });

export const project: { version: string; dependencies: Record<string, string> } = JSON.parse(
  read('package.json'),
);

/** The instructions of a Dockerfile with their arguments, with continued lines joined. */
export const instructions = (file = 'Dockerfile'): { name: string; text: string }[] =>
  read(file)
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({
      name: line.split(' ', 1)[0] as string,
      text: line.slice(line.indexOf(' ') + 1),
    }));
