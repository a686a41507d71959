import assert from 'node:assert/strict';
import type { Harness, Reply } from '../harness/harness.ts';
import { walk } from '../harness/walk.ts';

/** A browser that follows links, with the cookies of the server. */
interface Visitor {
  cookies: Map<string, string>;
  /** Follows a link of a page of this server. */
  visit(path: string, headers?: Record<string, string>): Promise<Reply>;
  /** Goes to a provider and to where that sends it; not back to the server yet. */
  leave(path: string): Promise<URL>;
  /** The same, and comes back: the page that is shown in the end. */
  go(path: string): Promise<string>;
}

/** `cookie`: of a session, such as a `Browser` has. */
export function openVisitor({ request }: Pick<Harness, 'request'>, cookie = ''): Visitor {
  const cookies = new Map<string, string>();
  if (cookie !== '') cookies.set(...(cookie.split('=') as [string, string]));
  const visitor: Visitor = {
    cookies,
    async visit(path, headers = {}) {
      const jar = [...cookies].map((pair) => pair.join('=')).join('; ');
      const reply = await request('GET', path, {
        headers: { 'sec-fetch-site': 'same-origin', cookie: jar, ...headers },
      });
      for (const line of reply.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([\w-]+)=([\w-]*)/.exec(line) ?? [];
        if (line.includes('Max-Age=0')) cookies.delete(name);
        else cookies.set(name, value);
      }
      return reply;
    },
    async leave(path) {
      const reply = await visitor.visit(path);
      const location = reply.headers.get('location') ?? '';
      assert.match(location, /^http/, `${reply.status} ${location} ${reply.text}`);
      return walk(new URL(location));
    },
    async go(path) {
      const back = await visitor.leave(path);
      return pageOf(await visitor.visit(back.pathname + back.search, CROSS));
    },
  };
  return visitor;
}

/** How a browser comes back from another site. */
export const CROSS = { 'sec-fetch-site': 'cross-site' };

/** Where an answer sends the browser. */
export const pageOf = ({ status, headers, text }: Reply): string => {
  assert.equal(status, 303, text);
  return headers.get('location') ?? '';
};
