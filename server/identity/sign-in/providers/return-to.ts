const LONGEST = 1000;
/** Browsers skip some of these in an address, and read a backslash as a slash. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const UNSAFE = /[\u0000-\u0020\u007f-\u009f\\]/;
/** These answer no pages. */
const NO_PAGES = /^\/(auth|api|git|webhooks)(\/|$)/i;
const HERE = 'http://here.invalid';

/** A path of a page of this server, or `otherwise` for whatever could lead elsewhere. */
export function localPath(text: string | undefined, otherwise: string): string {
  if (text === undefined || text.length > LONGEST || UNSAFE.test(text)) return otherwise;
  if (!text.startsWith('/') || text.startsWith('//')) return otherwise;
  const url = URL.parse(text, HERE);
  if (url === null || url.origin !== HERE || url.pathname.startsWith('//')) return otherwise;
  const path = url.pathname + url.search + url.hash;
  return NO_PAGES.test(url.pathname) || path.length > LONGEST ? otherwise : path;
}

/** The same path with another parameter. */
export function withParameter(path: string, name: string, value: string): string {
  const url = new URL(path, HERE);
  url.searchParams.set(name, value);
  return url.pathname + url.search + url.hash;
}
