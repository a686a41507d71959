import { openOutgoing } from '../../../platform/outgoing/outgoing.ts';
import { leadsElsewhere, leadsWithoutTls } from './failures.ts';

/** Where a source is, and what opens it. */
export interface Source {
  url: string;
  login: { username: string; password: string } | undefined;
}

interface Following {
  allowedNetworks: readonly string[];
  allowHttp: boolean;
  dnsServers?: readonly string[] | undefined;
  /** Milliseconds in which an answer must begin. */
  silence: number;
  signal: AbortSignal;
}

/** What git asks first. Where this was moved to, the repository is: git takes its base from there. */
const FIRST = '/info/refs?service=git-upload-pack';
const MOST_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Follows the redirects of a source as git does, and checks each address before it is connected to.
 * The login is not sent to another server, nor to the first one once another has had a say. What
 * fails otherwise, git says. Errors: ImportFailed.
 */
export async function followSource(source: Source, following: Following): Promise<Source> {
  const { allowedNetworks, allowHttp, dnsServers, silence, signal } = following;
  const outgoing = openOutgoing({
    allowedNetworks,
    allowHttp,
    ...(dnsServers === undefined ? {} : { dnsServers }),
  });
  let at = source;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const asked = `${at.url.replace(/\/$/, '')}${FIRST}`;
    const answer = await outgoing
      .send({
        url: asked,
        method: 'GET',
        headers: {
          accept: '*/*',
          'git-protocol': 'version=2',
          // Some servers answer another program with a page.
          'user-agent': 'git/2.40.0',
          ...(at.login === undefined ? {} : { authorization: basicOf(at.login) }),
        },
        timeout: silence,
        signal,
        followRedirects: false,
        headOnly: true,
      })
      .catch(() => undefined);
    signal.throwIfAborted();
    const to = answer && REDIRECTS.has(answer.status) ? answer.headers.location : undefined;
    if (to === undefined) return at;
    at = next(at, asked, to);
  }
  throw leadsElsewhere('ever another address');
}

function next({ url, login }: Source, asked: string, location: string): Source {
  const from = new URL(url);
  const to = URL.parse(location, asked);
  if (to === null || !/^https?:$/.test(to.protocol) || to.username + to.password !== '')
    throw leadsElsewhere('an address of another kind');
  to.hash = '';
  if (from.protocol === 'https:' && to.protocol === 'http:') throw leadsWithoutTls(shown(to));
  const base = to.href.endsWith(FIRST) ? to.href.slice(0, -FIRST.length) : '';
  if (base === '' || base.includes('?') || base.length > LONGEST) throw leadsElsewhere(shown(to));
  return { url: base, login: new URL(base).origin === from.origin ? login : undefined };
}

const LONGEST = 2_000;

/** An address for people, without what may be a secret. */
export const shown = ({ origin, pathname }: URL): string => `${origin}${pathname}`.slice(0, 200);

export const basicOf = ({ username, password }: NonNullable<Source['login']>): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
