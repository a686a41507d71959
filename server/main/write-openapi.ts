import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApi, SESSION_COOKIE } from '../http/openapi.ts';
import { signInRoutes } from '../identity/sign-in/routes.ts';
import { readConfig } from '../platform/config/config.ts';
import { describedApi } from './described-api.ts';
import { routes } from './routes.ts';
import { openServices } from './services.ts';
import { openSignInServices } from './sign-in-services.ts';

const ROOT = join(import.meta.dirname, '../..');

/** What the document of sign-in says; only the dashboard reads it. */
const SIGN_IN = {
  title: 'Guildhall sign-in',
  description:
    'How people sign in with a browser, and what they sign in with. These paths are for the ' +
    'dashboard of the same server and may change with it.',
  security: [{ Session: [] }],
  securitySchemes: { Session: SESSION_COOKIE },
};

const DOCUMENTS = {
  'openapi.json': documentText,
  'web/auth-openapi.json': signInText,
};

/** The document of the default configuration. Describing routes touches no database. */
export function documentText(): string {
  const config = readConfig({});
  const services = openServices({
    db: undefined as never,
    config,
    serverSecret: '',
    topUps: { processor: 'sandbox' } as never,
    cardSetups: { processor: 'sandbox' } as never,
    events: undefined as never,
    outgoing: undefined as never,
    files: undefined as never,
  });
  return asText(openApi(routes(services), config, describedApi()));
}

/** The document of what browsers use to sign in. */
export function signInText(): string {
  const config = readConfig({});
  const table = signInRoutes(
    openSignInServices({ db: undefined as never, config, serverSecret: '' }),
  );
  return asText(openApi(table, config, SIGN_IN));
}

const asText = (document: object): string => `${JSON.stringify(document, null, 2)}\n`;

/** The committed documents that are not those of these routes. */
export async function staleDocuments(): Promise<string[]> {
  const stale: string[] = [];
  for (const [name, text] of Object.entries(DOCUMENTS)) {
    const written = await readFile(join(ROOT, name), 'utf8').catch(() => '');
    if (written !== text()) stale.push(name);
  }
  return stale;
}

if (import.meta.main) {
  const stale = await staleDocuments();
  if (!process.argv.includes('--check'))
    for (const [name, text] of Object.entries(DOCUMENTS)) await writeFile(join(ROOT, name), text());
  else if (stale.length > 0) {
    console.error(`stale: ${stale.join(', ')}. Run \`npm run openapi\` and commit.`);
    process.exit(1);
  }
}
