import { createPublicKey, verify } from 'node:crypto';
import type { Person } from './people-state.ts';
import { badCredentials, needsCredentials, notAccessible, Refusal, suspended } from './refusals.ts';
import type { Installation, State, Token } from './state.ts';

/** Who asks: the App itself with its JWT, or one of its installations with a token. */
export type Caller =
  | { as: 'app' }
  | { as: 'installation'; installation: Installation; token: Token }
  | { as: 'person'; person: Person }
  | { as: 'no one' };

const LONGEST_SECONDS = 600;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Errors: Refusal, with the texts that GitHub answers. */
export function callerOf(state: State, publicKey: string, header: string | undefined): Caller {
  if (header === undefined) return { as: 'no one' };
  const [, scheme = '', credential = ''] = /^(\w+) +(\S+)$/.exec(header) ?? [];
  if (!/^(bearer|token)$/i.test(scheme)) throw badCredentials();
  if (JWT.test(credential)) {
    verifyJwt(state, publicKey, credential);
    return { as: 'app' };
  }
  const person = state.people.tokens.get(credential);
  if (person !== undefined) return { as: 'person', person };
  return callerWith(state, credential);
}

/** The installation behind a token, also that of Git's password. */
export function callerWith(state: State, value: string): Caller & { as: 'installation' } {
  const token = state.tokens.get(value);
  const installation = token && state.installations.get(token.installationId);
  if (token === undefined || installation === undefined || token.expiresAt <= state.now())
    throw badCredentials();
  if (installation.suspendedAt !== undefined) throw suspended();
  return { as: 'installation', installation, token };
}

/** `/app` and what is below it take a JWT only. */
export function mustBeApp(caller: Caller): void {
  if (caller.as !== 'app') throw new Refusal(401, 'A JSON web token could not be decoded');
}

export function mustBeInstallation(caller: Caller): Caller & { as: 'installation' } {
  if (caller.as === 'no one' || caller.as === 'person') throw needsCredentials();
  if (caller.as === 'app')
    throw new Refusal(
      403,
      'You must authenticate with an installation access token in order to list repositories ' +
        'for an installation.',
    );
  return caller;
}

/** What a person may see of themselves is for no one else: not for the App either. */
export function mustBePerson(caller: Caller): Person {
  if (caller.as === 'installation') throw notAccessible();
  if (caller.as === 'app') throw new Refusal(401, 'A JSON web token could not be decoded');
  if (caller.as === 'no one') throw needsCredentials();
  return caller.person;
}

function verifyJwt(state: State, publicKey: string, jwt: string): void {
  const [head = '', claims = '', signature = ''] = jwt.split('.');
  const { alg } = decoded(head);
  const { iss, iat, exp } = decoded(claims);
  // It says whose key has signed.
  if (String(iss) !== String(state.app.id)) throw new Refusal(404, 'Integration not found');
  const key = createPublicKey(publicKey);
  const signed = Buffer.from(`${head}.${claims}`);
  if (alg !== 'RS256' || !verify('sha256', signed, key, Buffer.from(signature, 'base64url')))
    throw new Refusal(401, 'A JSON web token could not be decoded');
  const now = Math.floor(state.now() / 1000);
  if (!Number.isInteger(iat) || Number(iat) > now)
    throw new Refusal(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was " +
        'issued',
    );
  if (!Number.isInteger(exp) || Number(exp) <= now)
    throw new Refusal(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at " +
        'which the assertion expires',
    );
  if (Number(exp) - now > LONGEST_SECONDS)
    throw new Refusal(401, "'Expiration time' claim ('exp') is too far in the future");
}

function decoded(part: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    throw new Refusal(401, 'A JSON web token could not be decoded');
  }
}
