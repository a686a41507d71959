import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Connections } from './connections.ts';
import { limitPublicFiles } from './public-files.ts';

/** Where `web/build.ts` puts the dashboard. */
export const BUILT = join(import.meta.dirname, '../../../web/dist');

/** The first words of the dashboard's addresses; the browser finds the page by the rest. */
const PAGES = [
  'account',
  'connect',
  'help',
  'invitations',
  'links',
  'new-task',
  'operator',
  'projects',
  'sign-in',
  'tasks',
  'workspaces',
];

/** The one page on which a card is entered, or a charge confirmed, in frames of Stripe. */
const STRIPE_PAGE = '/account/stripe';

/**
 * Scripts, styles, pictures and requests of this server, and nothing else; of what a document contains
 * itself, what the build has put there, by its hash. The frames and scripts of Stripe are allowed on
 * that page, if this server uses Stripe.
 */
const policy = (own: Own, stripe = { script: '', api: '', frames: '' }) =>
  [
    "default-src 'none'",
    "base-uri 'none'",
    `connect-src 'self'${stripe.api}`,
    "font-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    ...(stripe.frames === '' ? [] : [`frame-src${stripe.frames}`]),
    "img-src 'self' data: blob:",
    `script-src 'self'${own.script}${stripe.script}`,
    `style-src 'self'${own.style}`,
  ].join('; ');
const STRIPE = {
  script: ' https://js.stripe.com',
  api: ' https://api.stripe.com',
  frames: ' https://js.stripe.com https://hooks.stripe.com',
};

type Own = Record<'script' | 'style', string>;

/** The sources that allow the scripts and style sheets that a document itself contains. */
function ownOf(document: string): Own {
  const own = { script: '', style: '' };
  for (const [, name, text] of document.matchAll(/<(script|style)\b[^>]*>(.*?)<\/\1>/gs))
    if (text) own[name as keyof Own] += ` 'sha256-${hash('sha256', text, 'base64')}'`;
  return own;
}

/** Names of files in `assets/` contain a hash of their content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** The dashboard's addresses. */
const ADDRESSES = ['/', ...PAGES.flatMap((page) => [`/${page}`, `/${page}/*`])];

/**
 * Serves the dashboard: one page for all of its addresses, and the files that it loads. If it was
 * not built, or `built` names no folder, `/` leads to the reference of the API, and the other
 * addresses are unknown. `stripe`: cards are entered in its frames. Returns the addresses that it
 * serves.
 */
export async function serveDashboard(
  app: FastifyInstance,
  connections: Connections,
  { built, stripe }: { built: string | undefined; stripe: boolean },
): Promise<{ method: string; path: string }[]> {
  const paths = built !== undefined && existsSync(join(built, 'index.html')) ? ADDRESSES : ['/'];
  await app.register(async (scope) => {
    limitPublicFiles(scope, connections);
    if (paths !== ADDRESSES) {
      scope.get('/', (_request, reply) => reply.redirect('/docs', 302));
      return;
    }
    const own = ownOf(readFileSync(join(built as string, 'index.html'), 'utf8'));
    const [ofFiles, ofPages] = [policy({ script: '', style: '' }), policy(own)];
    const ofStripe = policy(own, STRIPE);
    // After the headers of every answer, which forbid scripts and keeping an answer.
    scope.addHook('onSend', async (request: FastifyRequest, reply: FastifyReply) => {
      if (reply.statusCode >= 400) return;
      const forEver = request.url.startsWith('/assets/');
      const loadsStripe = stripe && request.url.split('?')[0] === STRIPE_PAGE;
      reply.headers({
        'content-security-policy': loadsStripe ? ofStripe : forEver ? ofFiles : ofPages,
        'cache-control': forEver ? FOR_EVER : 'no-cache',
      });
    });
    await scope.register(fastifyStatic, {
      root: built as string,
      wildcard: false,
      index: false,
      preCompressed: true,
      cacheControl: false,
    });
    for (const path of paths) scope.get(path, (_request, reply) => reply.sendFile('index.html'));
  });
  return paths.map((path) => ({ method: 'GET', path }));
}
