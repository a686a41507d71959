import { fieldError } from '../../http/errors.ts';
import { text } from '../../http/input/fields.ts';
import type { Kind } from '../../platform/webhooks/event-types.ts';

/** The address of a webhook, which may be a secret: whoever has one of Slack can write there. */

export const address = () =>
  text({
    minLength: 1,
    maxLength: 2_000,
    description:
      'Where events are sent. It is stored encrypted and shown without its query; that of Slack ' +
      'and Discord also without its path.',
  });

export const addressInvalid = fieldError(
  'webhook_url_invalid',
  ['body', 'url'],
  'This is not the address of a server: write it like https://hooks.example.com/guildhall, without a login',
);

export const addressNotHttps = fieldError(
  'webhook_url_not_https',
  ['body', 'url'],
  'The address must begin with https://, because what is sent could be read on the way otherwise',
);

/** The normal form of an address. Errors: 422 webhook_url_invalid, webhook_url_not_https. */
export function readAddress(sent: string, { allowHttp }: { allowHttp: boolean }): string {
  const url = URL.parse(sent);
  if (url === null || !/^https?:\/\/[^/\\@\s]+([/?#]|$)/i.test(sent)) throw addressInvalid();
  if (url.username + url.password !== '' || url.port === '0') throw addressInvalid();
  if (url.protocol === 'http:' && !allowHttp) throw addressNotHttps();
  url.hash = '';
  // Escapes may have made it longer.
  if (url.href.length > 2_000) throw addressInvalid();
  return url.href;
}

/** What is shown of it. */
export function shownAddress(kind: Kind, address: string): string {
  const { origin, pathname, search } = new URL(address);
  if (kind === 'slack' || kind === 'discord') return `${origin}/…`;
  return `${origin}${pathname}${search === '' ? '' : '?…'}`.slice(0, 2_000);
}
