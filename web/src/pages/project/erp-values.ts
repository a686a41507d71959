import type { operations } from '@guildhall/client';
import { type Connection, ENVIRONMENTS, KINDS } from '../../data/erp.ts';
import type { Values } from '../../ui/form.tsx';

/** A connection to Odoo as the fields of a form hold it, and what is sent of them. */

type Added = operations['create_odoo_connection']['requestBody']['content']['application/json'];
type Changes = NonNullable<
  operations['update_odoo_connection']['requestBody']
>['content']['application/json'];

/** The fields that a form shows again; the secret is none of them. */
const LABELS = {
  name: 'Name',
  url: 'Address',
  database: 'Database',
  login: 'Login',
  kind: 'Kind of secret',
  environment: 'Environment',
  agent_access: 'What agents may do',
  agent_exceptions: 'Exceptions',
  secret_expires_at: 'The secret expires on',
} as const;

type Field = keyof typeof LABELS;

const FIELDS = Object.keys(LABELS) as Field[];

const MAY_BE_EMPTY = new Set<Field>(['database', 'login', 'agent_exceptions', 'secret_expires_at']);

export type Fields = Record<Field, string>;

export const EMPTY: Fields = {
  name: '',
  url: '',
  database: '',
  login: '',
  kind: 'api_key',
  environment: 'staging',
  agent_access: 'read',
  agent_exceptions: '',
  secret_expires_at: '',
};

export const fieldsOf = (connection: Connection): Fields => ({
  name: connection.name,
  url: connection.url,
  database: connection.database ?? '',
  login: connection.login ?? '',
  kind: connection.kind,
  environment: connection.environment,
  agent_access: connection.agent_access,
  agent_exceptions: connection.agent_exceptions.join(' '),
  secret_expires_at: connection.secret_expires_at?.slice(0, 10) ?? '',
});

/** What was typed, without what surrounds it; spaces of a secret may belong to it. */
export const typedIn = (values: Values): Fields =>
  Object.fromEntries(FIELDS.map((name) => [name, values[name]?.trim() ?? ''])) as Fields;

function sent(name: Field, value: string): string | string[] {
  if (name === 'secret_expires_at') return `${value}T00:00:00Z`;
  return name === 'agent_exceptions' ? namesIn(value) : value;
}

const namesIn = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter(Boolean))];

export function bodyOfNew(values: Values): Added {
  const entries = Object.entries(typedIn(values)) as [Field, string][];
  const body = entries
    .filter(([name, value]) => value !== '' || !MAY_BE_EMPTY.has(name))
    .map(([name, value]) => [name, sent(name, value)]);
  return { ...Object.fromEntries(body), ...(values.secret && { secret: values.secret }) };
}

/**
 * Only what was changed in the form, so that a change by another person to another field is kept.
 * What agents may do is said again beside a new environment, which would take `write` back.
 */
export function changesOf(basis: Fields, values: Values): Changes {
  const now = typedIn(values);
  const changed = FIELDS.filter((name) => now[name] !== basis[name]);
  const said = changed.includes('environment') ? [...changed, 'agent_access' as const] : changed;
  const secret = values.remove_secret === 'on' ? null : values.secret || undefined;
  return {
    ...Object.fromEntries(
      said.map((name) => [name, now[name] === '' ? emptied(name) : sent(name, now[name])]),
    ),
    ...(secret !== undefined && { secret }),
  };
}

// A name or an address that is empty is refused beside its field.
function emptied(name: Field): string | null | string[] {
  if (name === 'agent_exceptions') return [];
  return MAY_BE_EMPTY.has(name) ? null : '';
}

/** What another person has changed while a form was open, and the form with both changes. */
export interface Merged {
  fields: Fields;
  /** Such as `Name: “Shop”`; `mine` if the form has another value there. */
  theirs: { text: string; mine: boolean }[];
}

export function merge(basis: Fields, values: Values, latest: Fields): Merged {
  const now = typedIn(values);
  const untouched = (name: Field) => now[name] === basis[name];
  return {
    fields: Object.fromEntries(
      FIELDS.map((name) => [name, untouched(name) ? latest[name] : now[name]]),
    ) as Fields,
    theirs: FIELDS.filter((name) => latest[name] !== basis[name]).map((name) => ({
      text: `${LABELS[name]}: ${worded(name, latest[name])}`,
      mine: !untouched(name) && now[name] !== latest[name],
    })),
  };
}

/** The choices of what agents may do; each begins with another letter, for choosing by keyboard. */
export const ACCESS_CHOICES: Record<Connection['agent_access'], string> = {
  none: 'Nothing',
  read: 'Only read',
  write: 'Read and change data',
};

const WORDS: Record<string, string> = { ...ENVIRONMENTS, ...ACCESS_CHOICES, ...KINDS };

const TYPED = new Set<Field>(['name', 'url', 'database', 'login', 'agent_exceptions']);

const worded = (name: Field, value: string): string => {
  if (value === '') return 'empty';
  return TYPED.has(name) ? `“${value}”` : (WORDS[value] ?? value);
};

/** Whether agents would be able to change a production database that they could not change before. */
export const opensProduction = (
  before: Pick<Fields, 'environment' | 'agent_access'> | undefined,
  now: Pick<Fields, 'environment' | 'agent_access'>,
): boolean => isOpen(now) && !(before !== undefined && isOpen(before));

const isOpen = ({ environment, agent_access }: Pick<Fields, 'environment' | 'agent_access'>) =>
  environment === 'production' && agent_access === 'write';
