import { fieldError } from '../../http/errors.ts';
import { text } from '../../http/input/fields.ts';

/** The address of an Odoo, as a connection keeps it. */

export const address = () =>
  text({
    ...{ minLength: 1, maxLength: 2_000 },
    description:
      'The address of the server, such as `https://erp.example.com`: https, without a login, a ' +
      'query or a fragment.',
  });

export const addressInvalid = fieldError(
  'odoo_url_invalid',
  ['body', 'url'],
  'This is not the address of a server: write it like https://erp.example.com, without a login, a ' +
    'query or a fragment',
);

export const httpNotAllowed = fieldError(
  'odoo_url_not_https',
  ['body', 'url'],
  'The address must begin with https://, because the secret would be sent readable otherwise',
);

const LONGEST = 2_000;

/**
 * The normal form of an address: host in lower case, no default port, no slash at the end. Errors:
 * 422 odoo_url_invalid, odoo_url_not_https.
 */
export function readAddress(sent: string, { allowHttp }: { allowHttp: boolean }): string {
  const url = URL.parse(sent);
  if (url === null || !/^https?:\/\//i.test(sent)) throw addressInvalid();
  const bare = url.username + url.password + url.search + url.hash === '';
  // `https://erp.example.com?` has an empty query, which URL does not show.
  if (!bare || /[?#@\s\\]/.test(sent)) throw addressInvalid();
  if (url.protocol === 'http:' && !allowHttp) throw httpNotAllowed();
  const normal = `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  if (normal.length > LONGEST) throw addressInvalid();
  return normal;
}

/** Where a secret for this address may be sent: scheme, host and port. */
export const originOf = (url: string): string => new URL(url).origin;
