/** How servers write a secret that they repeat, for tests of what must not pass it on. */

const base64 = (text: string) => Buffer.from(text).toString('base64');
const inXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

export const SECRET_FORMS: Record<string, (secret: string) => string> = {
  plain: (secret) => secret,
  'percent-encoded': encodeURIComponent,
  'of a form': (secret) => new URLSearchParams({ secret }).toString(),
  'in hexadecimal digits': (secret) => Buffer.from(secret).toString('hex'),
  'Base64 of Basic': (secret) => `Basic ${base64(`admin:${secret}`)}`,
  'Base64 alone': base64,
  'Base64 for addresses': (secret) => Buffer.from(`a:${secret}?`).toString('base64url'),
  'escaped for JSON': inJson,
  'escaped for JSON, in ASCII': (secret) =>
    inJson(secret).replaceAll(
      /[^ -~]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  'escaped for JSON within a page': (secret) =>
    inJson(secret).replaceAll(/[&<>]/g, (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`),
  'escaped for XML': inXml,
  'escaped for XML, with quotes': (secret) =>
    inXml(secret).replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
  'JSON within JSON': (secret) => inJson(inJson(secret)),
};
