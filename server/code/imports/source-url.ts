import { fieldError } from '../../http/errors.ts';
import { text } from '../../http/input/fields.ts';

/** The address of a repository elsewhere. */

export const sourceUrl = () =>
  text({
    minLength: 1,
    maxLength: 2_000,
    description:
      'Where Git clones it from, such as `https://github.com/owner/name.git`, without a user name ' +
      'and password.',
  });

export const importUrlInvalid = fieldError(
  'import_url_invalid',
  ['body', 'url'],
  'This is not the address of a repository: write it like https://example.com/owner/name.git, ' +
    'with user name and password in fields of their own',
);

export const importUrlNotHttps = fieldError(
  'import_url_not_https',
  ['body', 'url'],
  'The address must begin with https://, because everything would be sent readable otherwise',
);

/**
 * The normal form of an address, with the scheme https, or http if the operator allows it, and
 * nothing else: no other program or file of this server is ever named by it. Errors: 422
 * import_url_invalid, import_url_not_https.
 */
export function readSourceUrl(sent: string, { allowHttp }: { allowHttp: boolean }): string {
  const url = /^https?:\/\/[^/\\@\s]/i.test(sent) ? URL.parse(sent) : null;
  if (url === null || url.username + url.password + url.search + url.hash !== '')
    throw importUrlInvalid();
  if (url.port === '0' || /\s/.test(url.pathname)) throw importUrlInvalid();
  if (url.protocol === 'http:' && !allowHttp) throw importUrlNotHttps();
  return url.href;
}
