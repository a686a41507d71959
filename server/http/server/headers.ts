/** Response headers, by lower-case name. */
export type AnswerHeaders = Readonly<Record<string, string>>;

/**
 * The headers that protect browsers, for every answer: JSON is never rendered, framed, cached,
 * sniffed or read by another site. They are created once and copied, so they cost nothing per
 * request. HTTPS is enforced only if the public address uses it, and nothing is sent that browsers
 * would ignore there with an error on their console.
 */
export const answerHeaders = (publicUrl: string): AnswerHeaders => ({
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  ...(isTrustworthy(publicUrl) ? { 'cross-origin-opener-policy': 'same-origin' } : {}),
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  ...(publicUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
});

/** Whether browsers trust an address (Secure Contexts, 3.1): HTTPS, or this machine itself. */
function isTrustworthy(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return (
    protocol === 'https:' || /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
  );
}

/** /docs may run scripts and styles from this server, and nothing else. */
export const DOCS_POLICY = [
  "default-src 'self'",
  "base-uri 'self'",
  "font-src 'self' data:",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "img-src 'self' data:",
  "object-src 'none'",
  "script-src 'self'",
  "script-src-attr 'none'",
  "style-src 'self'",
].join('; ');
