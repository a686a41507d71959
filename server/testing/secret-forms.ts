/** How texts of the web write a secret, for tests of what must not pass it on. */

const each = (secret: string, write: (character: string) => string) =>
  [...secret].map(write).join('');
const units = (character: string) =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
const base64 = (text: string) => Buffer.from(text).toString('base64');
const inXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

export const SECRET_FORMS: Record<string, (secret: string) => string> = {
  plain: (secret) => secret,
  'percent-encoded': encodeURIComponent,
  'percent-encoded, each byte': (secret) =>
    Buffer.from(secret).toString('hex').replaceAll(/../g, '%$&'),
  'percent-encoded twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'of a form': (secret) => new URLSearchParams({ secret }).toString(),
  'Base64 of Basic': (secret) => `Basic ${base64(`admin:${secret}`)}`,
  'Base64 alone': base64,
  'Base64 for addresses': (secret) => Buffer.from(`a:${secret}?`).toString('base64url'),
  'Base64 in lines': (secret) => base64(`ab:${secret}`).replaceAll(/.{12}/g, '$&\r\n'),
  'Base64 in lines that are indented': (secret) =>
    base64(`ab:${secret}`).replaceAll(/.{8}/g, '$&\n \t'),
  'Base64 in lines, within JSON': (secret) =>
    inJson(base64(secret).replaceAll(/.{8}/g, '$&\r\n\t')),
  'Base64, percent-encoded': (secret) => encodeURIComponent(base64(`a:${secret}`)),
  'escaped for JSON': inJson,
  'escaped for JSON, each character': (secret) => each(secret, units),
  'escaped for XML': inXml,
  'escaped for XML, by numbers': (secret) =>
    each(secret, (one) => `&#${String(one.codePointAt(0)).padStart(30, '0')};`),
  'escaped for XML, by hexadecimal numbers': (secret) =>
    each(secret, (one) => `&#x${one.codePointAt(0)?.toString(16)};`),
  'JSON within XML': (secret) => inXml(inJson(secret)),
  'XML within JSON within JSON': (secret) => inJson(inJson(inXml(secret))),
};
