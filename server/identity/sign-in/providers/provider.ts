/** What a provider says about the person who signed in there. */
export interface Person {
  /** What identifies them there for ever. Names and addresses can change hands. */
  subject: string;
  email: string | undefined;
  /** Whether the provider vouches for the address. */
  emailVerified: boolean;
  name: string | undefined;
}

/** The secrets of one attempt, of which the provider sees none but `state` and `nonce`. */
export interface Secrets {
  state: string;
  nonce: string;
  /** Of PKCE. */
  verifier: string;
}

/** Where people can sign in instead of here. */
export interface Provider {
  /** In addresses. */
  id: string;
  /** On the button. */
  name: string;
  /** Where the browser goes. `callback`: where it comes back to. Throws a ProviderError. */
  begin(callback: URL, secrets: Secrets): Promise<URL>;
  /** Who has come back to this address. Throws a ProviderError. */
  finish(current: URL, secrets: Secrets): Promise<Person>;
}

/** Why an attempt has failed: the code that the page of sign-in explains. */
export type ProviderFailure =
  | 'provider_denied'
  | 'provider_unavailable'
  | 'provider_misconfigured'
  | 'provider_answer_invalid'
  | 'email_not_verified';

/** `cause` is for the log: it may quote what the provider said. */
export class ProviderError extends Error {
  readonly code: ProviderFailure;

  constructor(code: ProviderFailure, cause?: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

const LONGEST_SUBJECT = 500;
const LONGEST_EMAIL = 320;

/** Somebody whom the database can hold. Throws a ProviderError for others. */
export function storable(person: Person): Person {
  const { subject, email } = person;
  if (!isText(subject, LONGEST_SUBJECT))
    throw new ProviderError(
      'provider_answer_invalid',
      'a subject that is empty, too long or no text',
    );
  if (email !== undefined && !isText(email, LONGEST_EMAIL))
    throw new ProviderError('provider_answer_invalid', 'an address that is too long or no text');
  return person;
}

const isText = (value: string, longest: number): boolean =>
  value !== '' && value.length <= longest && value.isWellFormed() && !value.includes('\0');

/** How it is counted. */
export const byOf = ({ id }: Pick<Provider, 'id'>) => (id === 'github' ? 'github' : 'oidc');

const LONGEST = 100;

/**
 * What the log may say about a failure: kinds and codes, from the outside in. Messages of libraries
 * are left out, because they quote answers, and answers contain tokens.
 */
export function reasonOf({ cause }: ProviderError): string {
  const said: string[] = [];
  for (let at: unknown = cause; at !== undefined && said.length < 4; ) {
    if (typeof at === 'string') said.push(at);
    if (!(at instanceof Error)) break;
    const { name, code, error, status } = at as Error & Record<string, unknown>;
    said.push([name, code, error, status].filter((part) => part !== undefined).join(' '));
    at = at.cause;
  }
  return said.map((part) => part.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, LONGEST)).join(': ');
}
