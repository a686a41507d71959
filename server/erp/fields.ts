import Type from 'typebox';
import { multilineText, oneOf, text } from '../http/input/fields.ts';

/** What callers send to reach an Odoo server. */
export const odooFields = {
  url: () =>
    Type.String({
      minLength: 1,
      maxLength: 2000,
      pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\u0000-\\u001f\\u007f-\\u009f]+$',
      description: 'The address of the server, with or without a path: only its origin is used.',
    }),
  database: () =>
    Type.String({
      minLength: 1,
      maxLength: 63,
      pattern: '^[0-9A-Za-z][0-9A-Za-z_.-]*$',
      description: 'Needed where the server has several databases.',
    }),
  login: () =>
    text({
      minLength: 1,
      maxLength: 254,
      description: 'Needed beside a password, and before version 19.',
    }),
  /** Taken as it was sent: spaces count in passwords. */
  secret: () =>
    multilineText({
      minLength: 1,
      maxLength: 512,
      writeOnly: true,
      description: 'An API key, or a password.',
    }),
  kind: () =>
    oneOf(['api_key', 'password'], {
      description: 'What the secret is; without it, that is told by its form.',
    }),
  erpVersion: () =>
    Type.String({
      minLength: 1,
      maxLength: 20,
      pattern: '^(?:saas[~-])?[0-9]{1,2}(?:[.][0-9]{1,2})?$',
      description: 'The version that is expected, such as `18.0`; another one is named in `code`.',
    }),
};
