/** What audit trails hold as codes, in words: reasons of refusals, names of fields, values. */

/** Reasons whose code does not read as words. */
const REASONS: Readonly<Record<string, string>> = {
  forbidden: 'no right to do this',
  if_match_required: 'changed without the version that was seen',
  invalid_api_key: 'the API key is not valid',
  invite_token_invalid: 'the link of the invitation is not valid',
  is_owner: 'this person is the owner',
  key_out_of_scope: 'the API key is for something else',
  key_read_only: 'the API key may only read',
  not_authenticated: 'not signed in',
  not_found: 'there is no such thing',
  owner_decides: 'only the owner decides this',
  password_too_weak: 'the password is too easy to guess',
  proof_required: 'no proof within ten minutes of who they are',
  session_required: 'only a person in a browser may do this',
  totp_enabled: 'an authenticator app is set up already',
  two_factor_required: 'two-factor authentication is not set up',
  wrong_credentials: 'a wrong address or password',
};

/** Fields whose name does not read as words. */
const FIELDS: Readonly<Record<string, string>> = {
  acts_as: 'rights of',
  admins_manage_admins: 'admins make and unmake admins',
  by: 'by means of',
  color: 'colour',
  erp_edition: 'Odoo edition',
  erp_version: 'Odoo version',
  expires_at: 'expires',
  head_sha: 'last commit',
  is_active: 'active',
  require_2fa: 'two factors required',
  sign_in_link_id: 'link',
  slug: 'short name',
  spend_cap: 'cost limit',
  two_factor_enabled: 'two factors',
  url: 'address',
  user_id: 'person',
};

const known = (words: Readonly<Record<string, string>>, code: string): string =>
  Object.hasOwn(words, code)
    ? (words[code] ?? code)
    : code.replace(/_id$/, '').replaceAll('_', ' ');

/** Why something was refused. */
export const reasonOf = (code: string): string => known(REASONS, code);

/** The name of a field. */
export const fieldOf = (name: string): string => known(FIELDS, name);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

/** A value of a field, on one line. */
export function shownValue(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(shownValue).join(', ');
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, inner]) => `${fieldOf(name)} ${shownValue(inner)}`)
      .join(', ');
  const text = String(value);
  if (UUID.test(text)) return text.slice(0, 8);
  return TIME.test(text) ? `${text.slice(0, 16).replace('T', ' ')} UTC` : text;
}
