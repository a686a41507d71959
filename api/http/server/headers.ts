/** Headers of an answer, by name in lower case. */
export type AnswerHeaders = Readonly<Record<string, string>>;

/**
 * What every answer tells browsers: JSON is never a page, is never framed, kept, guessed at or read by another site. Made
 * once and copied as it is, so it costs a request nothing to decide. HTTPS is demanded only where people come by it.
 */
export const answerHeaders = (publicUrl: string): AnswerHeaders => ({
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  ...(publicUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
});

/** The page at /docs runs the scripts and styles of this server, and nothing from elsewhere. */
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
