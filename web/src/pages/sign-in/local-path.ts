/**
 * Where to go after a sign-in: a path of this server, or `/` for whatever leads elsewhere. Browsers
 * take `//host` and `/\host` for other servers, also after `/./`.
 */
export function localPath(wanted: string | undefined, origin: string): string {
  if (wanted === undefined || !wanted.startsWith('/') || !URL.canParse(wanted, origin)) return '/';
  const url = new URL(wanted, origin);
  if (url.origin !== origin || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}
