/**
 * Follows the redirects of a provider as a browser does that keeps its cookies, until they leave
 * it. Returns the address to which it sends the browser.
 */
export async function walk(from: URL): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = from;
  for (let step = 0; step < 10; step++) {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    const text = await answer.text();
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const target = URL.parse(answer.headers.get('location') ?? '', url);
    if (target === null) throw new Error(`${answer.status} at ${url}: ${text.slice(0, 500)}`);
    if (target.origin !== from.origin) return target;
    url = target;
  }
  throw new Error('too many redirects');
}
