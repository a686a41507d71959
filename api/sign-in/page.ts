export const HTML = 'text/html; charset=utf-8';

/** What the pages of sign-in may do: send their form to this server, and nothing else. */
const POLICY = "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/**
 * The headers of a page with a form. The page's address contains the token of a link, so a Referer
 * names at most the server. `no-referrer` would also hide the token, but makes browsers send
 * `Origin: null` with the form, by which the server recognises its own pages where there is no
 * Sec-Fetch-Site: on plain HTTP.
 */
export const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'strict-origin',
  'x-robots-tag': 'noindex',
};

/**
 * Asks for a click, because mail scanners and previews open links too. `token` must be base64url.
 */
export const confirmation = (token: string): string =>
  page(
    'Sign in to Guildhall',
    `<p>This link signs you in once, on this browser.</p>
<form method="post" action="/auth/link">
<input type="hidden" name="token" value="${token}">
<button type="submit">Sign in</button>
</form>`,
  );

/** One page for every link that does not work, so that it does not say why. */
export const unusable = (): string =>
  page(
    'This link does not work',
    `<p>It may have expired, been used already, or been replaced by a newer one.</p>
<p>Ask the operator of this server for a new link.</p>`,
  );

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
