import { fieldError } from '../../http/errors.ts';
import { text } from '../../http/input/fields.ts';

/** The address of an Odoo, as a connection keeps it. */

export const address = () =>
  text({
    minLength: 1,
    maxLength: 2_000,
    description:
      'The address of the server, such as `https://erp.example.com`, without a login. Of the ' +
      'address of a page, only the server is kept.',
  });

export const addressInvalid = fieldError(
  'odoo_url_invalid',
  ['body', 'url'],
  'This is not the address of a server: write it like https://erp.example.com, without a login',
);

export const httpNotAllowed = fieldError(
  'odoo_url_not_https',
  ['body', 'url'],
  'The address must begin with https://, because the secret would be sent readable otherwise',
);

/**
 * The normal form of an address: the origin, because people copy the address of a page, and no Odoo
 * is below a path. Errors: 422 odoo_url_invalid, odoo_url_not_https.
 */
export function readAddress(sent: string, { allowHttp }: { allowHttp: boolean }): string {
  const url = URL.parse(sent);
  if (url === null || !/^https?:\/\/[^/\\@\s]+([/?#]|$)/i.test(sent)) throw addressInvalid();
  // Nothing can listen at port 0.
  if (url.username + url.password !== '' || url.port === '0') throw addressInvalid();
  if (url.protocol === 'http:' && !allowHttp) throw httpNotAllowed();
  return url.origin;
}

/** Where a secret for this address may be sent: scheme, host and port. */
export const originOf = (url: string): string => new URL(url).origin;
