import Type, { type Static } from 'typebox';
import { dateTime, oneOf } from '../http/input/fields.ts';

/**
 * What can be wrong, and the one sentence for it. A sentence never holds a word of the server that
 * was asked, so nothing of it reaches a caller: no traceback, no path and no name of a host.
 */
export const SENTENCES = {
  refused: 'The server takes no connections: check address and port.',
  timeout:
    'There was no complete answer within ten seconds: try again, or ask who runs the server.',
  tls_untrusted: 'No authority that is trusted has signed the certificate: install one that is.',
  tls_name: 'The certificate is for another name: use the name that it is for.',
  tls_expired: 'The certificate is out of date: renew it.',
  not_odoo: 'There is no Odoo at this address, or it is not running: check the address.',
  blocked_address:
    'Guildhall does not find this address, or sends no requests to it: check how it is spelled. It ' +
    'must be public, begin with https and hold no login; the operator of Guildhall can allow others.',
  redirected: 'The address leads to another one: enter that one instead.',
  database_required: 'There are several databases, or none is known: name the one to use.',
  database_unknown: 'This database cannot be opened: check its spelling.',
  database_down: 'Odoo runs without its PostgreSQL at the moment: start that, or try again later.',
  bad_credentials:
    'Login and secret are not accepted: check both, and use an API key, because a person with two ' +
    'factors cannot use a password here. Before version 19 the login is needed too.',
  second_factor: 'This person has two factors: use an API key instead of the password.',
  api_not_allowed: 'This login may not use the external API: allow it, or use another login.',
  version_mismatch: 'This is another version of Odoo than expected: correct one of the two.',
  rate_limited: 'Odoo, or a proxy before it, asks for fewer requests: wait a minute.',
} as const;

export type ProbeCode = keyof typeof SENTENCES;

const CODES = Object.keys(SENTENCES) as ProbeCode[];

/** What a login may do, as far as it can be learned with a few requests (decision 64). */
const ACCESS = ['none', 'read', 'write', 'admin'] as const;

export type Access = (typeof ACCESS)[number];

const EDITIONS = ['community', 'enterprise', 'unknown'] as const;

export type Edition = (typeof EDITIONS)[number];

/** The outcome of a probe of an Odoo server, of a login, or of a connection that was saved. */
export const probe = Type.Object(
  {
    reachable: Type.Boolean({ description: 'The server has answered, whatever it said.' }),
    tls: Type.Boolean({ description: 'It did so with TLS and a certificate that is trusted.' }),
    server_version: Type.Optional(
      Type.String({ description: 'Such as `18.0`, or `saas~18.2` on Odoo Online.' }),
    ),
    edition: oneOf([...EDITIONS], {
      description: '`unknown` where only an administrator could learn it.',
    }),
    database: Type.Optional(
      Type.String({ description: 'The database that was used: the only one, or the one named.' }),
    ),
    databases: Type.Optional(
      Type.Array(Type.String(), {
        description: 'What databases there are, if the server lists them; at most 100.',
      }),
    ),
    login_ok: Type.Boolean({ description: 'The login works. False if none was tried.' }),
    uid: Type.Optional(Type.Integer({ description: 'The id of the user there.' })),
    access: oneOf([...ACCESS], {
      description:
        'What the login may do: `admin` may change the settings, `write` may change contacts, ' +
        '`read` may only read some records, `none` cannot sign in.',
    }),
    latency_ms: Type.Optional(
      Type.Integer({ description: 'How long the first answer took, in milliseconds.' }),
    ),
    expires_at: Type.Optional(
      dateTime({ description: 'When the next of the API keys of this user expires.' }),
    ),
    code: Type.Optional(oneOf(CODES, { description: 'What is wrong; absent if nothing is.' })),
    message: Type.String({ description: 'One sentence for people.' }),
  },
  { $id: 'OdooProbe' },
);

export type Probe = Static<typeof probe>;

export const exampleProbe: Probe = {
  reachable: true,
  tls: true,
  server_version: '18.0',
  edition: 'enterprise',
  database: 'acme',
  login_ok: true,
  uid: 7,
  access: 'write',
  latency_ms: 84,
  expires_at: '2027-02-19T09:00:00Z',
  message: 'The login works.',
};
