import Type from 'typebox';
import { type Sql, sql } from '../../db/sql.ts';
import { apiError, fieldError } from '../../http/errors.ts';
import { multilineText, object, text, uuid } from '../../http/input/fields.ts';
import { resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';

/** So that a list of them stays short. */
export const MOST_CONNECTIONS = 20;

const address = () =>
  text({
    minLength: 1,
    maxLength: 400,
    description: 'Where the server is, such as `https://git.example.com`, without a login.',
  });

/** A Gitea or Forgejo server that a workspace uses, from a row `t` of `gitea_connection`. */
export const giteaConnection = resource('GiteaConnection', {
  id: [uuid(), sql`t.id`, '2f4a6b1d-7c3e-4b5c-8d6e-9f0a1b2c3d4e'],
  organization_id: [uuid(), sql`t.organization_id`, '3fa85f64-5717-4562-b3fc-2c963f66afa6'],
  url: [address(), sql`t.url`, 'https://git.example.com'],
  account_login: [
    Type.Optional(
      Type.String({
        description:
          'Whose the token is there: whom people mention in a review or a comment that an agent is ' +
          'to read. Left out until the server has said so, within minutes, and while the token ' +
          'lacks the scope `read:user`.',
      }),
    ),
    sql`t.account_login`,
    'guildhall',
  ],
  created_at: [timestamp(), sql`t.created_at`, '2026-11-20T09:00:00.000Z'],
  updated_at: [
    timestamp({ description: 'When its token was set last.' }),
    sql`t.updated_at`,
    '2026-11-21T08:15:30.123Z',
  ],
});

/** What the audit trail keeps of one: the server, and neither the whole address nor the token. */
export const connectionSnapshot = (row: Sql): Sql => sql`
  jsonb_build_object('host', split_part(split_part((${row}).url, '://', 2), '/', 1))`;

export const newConnection = () =>
  object({
    url: address(),
    token: multilineText({
      minLength: 8,
      maxLength: 1_000,
      writeOnly: true,
      description:
        'An access token of an account there that administers the repositories, with the scope ' +
        '`write:repository`, and with `write:issue` and `read:user` for what people write about ' +
        'pull requests. It is stored encrypted and never shown; agents never get it.',
    }),
  });

export const connectionUrlInvalid = fieldError(
  'gitea_url_invalid',
  ['body', 'url'],
  'This is not the address of a server: write it like https://git.example.com, without a login',
);

export const connectionUrlNotHttps = fieldError(
  'gitea_url_not_https',
  ['body', 'url'],
  'The address must begin with https://, because the token could be read on the way otherwise',
);

export const tokenInvalid = fieldError(
  'gitea_token_invalid',
  ['body', 'token'],
  'A token has letters, digits and signs of ASCII only, and no spaces: copy it again',
);

export const tooManyConnections = apiError(
  409,
  'too_many_gitea_connections',
  `The workspace has ${MOST_CONNECTIONS} connections, which is as many as there may be: remove one first`,
);

/** The normal form of an address. Errors: 422 gitea_url_invalid, gitea_url_not_https. */
export function readServerUrl(sent: string, { allowHttp }: { allowHttp: boolean }): string {
  const url = /^https?:\/\/[^/\\@\s]/i.test(sent) ? URL.parse(sent) : null;
  if (url === null || url.username + url.password + url.search + url.hash !== '')
    throw connectionUrlInvalid();
  if (url.port === '0') throw connectionUrlInvalid();
  if (url.protocol === 'http:' && !allowHttp) throw connectionUrlNotHttps();
  const normal = url.href.replace(/\/+$/, '');
  if (normal.length > 500) throw connectionUrlInvalid();
  return normal;
}
