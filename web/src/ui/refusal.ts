import type { FieldError, GuildhallError } from '@guildhall/client';

/**
 * What a person reads beside a field that the API has refused. Its own sentences are for programs as
 * well, and name operations; those of its validation are those of a schema.
 */

const WORDS: Record<string, string> = {
  missing: 'Fill this in.',
  string_type: 'Write a text here.',
  string_pattern_mismatch:
    'This is not in the form that is needed here. Look for spaces and special characters.',
  string_unicode: 'This has a character that is broken. Take it out.',
  character_not_allowed:
    'This has an invisible character, or one that cannot be used. Take it out.',
  no_visible_character: 'Write something that can be seen.',
  enum: 'Choose one of the list.',
  literal_error: 'Choose one of the list.',
  uuid_type: 'Choose one of the list.',
  uuid_parsing: 'Choose one of the list.',
  int_type: 'Write a whole number.',
  int_parsing: 'Write a whole number.',
  decimal_type: 'Write an amount in USD, such as 25.50.',
  decimal_parsing: 'Write an amount in USD, such as 25.50.',
  finite_number: 'Write an amount in USD, such as 25.50.',
  decimal_max_places: 'Write at most two digits after the point.',
  bool_type: 'Choose yes or no.',
  date_parsing: 'Write a day, such as 2026-11-21.',
  date_from_datetime_parsing: 'Write a day, such as 2026-11-21.',
  datetime_parsing: 'Write a day and a time.',
  datetime_from_date_parsing: 'Write a day and a time.',
  extra_forbidden: 'This cannot be changed here.',
  model_not_offered: 'This server does not offer this model. Choose another one.',
  erp_version_not_offered: 'This server does not offer this ERP version. Choose another one.',
  erp_edition_not_offered: 'There is no such edition of this ERP version. Choose the other one.',
  image_not_offered: 'This server does not offer this image. Choose another one, or none.',
  branch_not_found:
    'The repository has no branch of this name. Write the name of one that it has, or nothing for the default branch.',
  repository_attached: 'The project already uses this repository: it is in the list.',
  repository_name_invalid:
    'Write a name such as library, or of a repository on GitHub such as owner/name.',
  host_not_connected:
    'This server is not connected to GitHub. Choose a repository of this server, or ask its operator.',
  attachment_not_found: 'A file is not there any more. Remove it, and attach it again.',
  variable_stage_needs_deploy: 'A value for one stage is for deploys alone.',
};

const plural = (count: unknown) => (count === 1 ? 'character' : 'characters');

/** A rule of our own is a sentence; of an address that is none, what it lacks follows. */
const ownWords = (msg: string): string =>
  msg
    .replace(/^Value error, |^value is not a valid email address: /, '')
    .replace(/^Input should/, 'This should');

/** Why a field was refused, in a sentence. */
export function refusal({ type, msg, ctx = {} }: FieldError): string {
  const { min_length, max_length, ge, gt, le, lt } = ctx as Record<string, unknown>;
  if (type === 'string_too_short')
    return min_length === 1
      ? 'Fill this in.'
      : `Write at least ${min_length} ${plural(min_length)}.`;
  if (type === 'string_too_long') return `Write at most ${max_length} ${plural(max_length)}.`;
  if (type === 'greater_than_equal') return `Write ${ge} or more.`;
  if (type === 'greater_than') return `Write more than ${gt}.`;
  if (type === 'less_than_equal') return `Write ${le} or less.`;
  if (type === 'less_than') return `Write less than ${lt}.`;
  return WORDS[type] ?? ownWords(msg);
}

/** Why fields were refused that no form has: `spend_cap` is "Spend cap". */
export const inWords = ({ fields }: GuildhallError): string =>
  fields
    .map((field) => {
      const parts = field.loc.slice(1).filter((part) => typeof part === 'string');
      const name = parts.join(' ').replaceAll('_', ' ');
      return `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${refusal(field)}`;
    })
    .join(' ');

/**
 * What was refused of the fields that this form has, in their names, with the focus on the first;
 * in those of the API if anything else was refused.
 */
export function besideFields(error: GuildhallError, form: HTMLFormElement): string[] {
  const found = error.fields.map((field) => {
    const name = String(field.loc.at(-1));
    return { field, control: form.elements.namedItem(name === 'text' ? 'message' : name) };
  });
  if (!found.every(({ control }) => isField(control))) return [inWords(error)];
  const controls = found.map(({ control }) => control).filter(isField);
  for (const control of controls) {
    control.ariaInvalid = 'true';
    control.addEventListener('input', () => control.removeAttribute('aria-invalid'), {
      once: true,
    });
  }
  // It can be written in again in the next frame.
  requestAnimationFrame(() => controls[0]?.focus());
  return found.map(
    ({ field }, index) => `${controls[index]?.ariaLabel ?? 'The message'}: ${refusal(field)}`,
  );
}

const isField = (control: unknown): control is HTMLInputElement =>
  control instanceof HTMLInputElement ||
  control instanceof HTMLSelectElement ||
  control instanceof HTMLTextAreaElement;
