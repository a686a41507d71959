import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from './config.ts';
import { openApi } from './http/openapi.ts';
import { routes } from './routes.ts';

const FILE = join(import.meta.dirname, '..', 'openapi.json');

/** The document of the default configuration. Describing routes touches no database. */
export function documentText(): string {
  const config = readConfig({});
  const table = routes({
    config,
    serverSecret: '',
    topUps: undefined as never,
    events: undefined as never,
    files: undefined as never,
  });
  return `${JSON.stringify(openApi(table, config), null, 2)}\n`;
}

/** Is the committed openapi.json the one these routes make? */
export const documentIsFresh = async (): Promise<boolean> =>
  (await readFile(FILE, 'utf8').catch(() => '')) === documentText();

if (import.meta.main) {
  if (!process.argv.includes('--check')) await writeFile(FILE, documentText());
  else if (!(await documentIsFresh())) {
    console.error('openapi.json is stale: run `npm run openapi` and commit it.');
    process.exit(1);
  }
}
