import type { Value } from '../../../erp/odoo/xml-rpc.ts';
import { tested } from './domain.ts';
import { accessError, builtin, missingRecord, userError } from './failures.ts';
import { MODELS, type Model, ROLES, type Role, type Row } from './fields.ts';
import { type Database, major, odooTime, type Server, type User } from './state.ts';

type Values = Record<string, Value>;

/** A call of a method by a user whose credential was accepted. */
interface Asked {
  server: Server;
  database: Database;
  user: User;
  model: string;
  ids: number[];
  values: Values;
}

export interface Method {
  /** Names of its arguments, in order; with `!` if it must be given. */
  args: readonly string[];
  /** Called on records, whose ids come first. */
  onRecords?: boolean;
  needs?: 'read' | 'write';
  /** The versions that have it. */
  from?: number;
  to?: number;
  run(asked: Asked): Value;
}

export const modelNamed = (name: string): Model => {
  const model = Object.hasOwn(MODELS, name) ? MODELS[name] : undefined;
  if (model === undefined) throw userError(`no model ${name}`);
  return model;
};

export const may = (user: User, needed: Role): boolean =>
  ROLES.indexOf(user.role) >= ROLES.indexOf(needed);

const allowed = ({ user, model, values }: Asked): boolean => {
  const { read, write } = modelNamed(model);
  return may(user, values.operation === 'read' ? read : write);
};

/** The rows that a user may see. */
function visible({ database, user, model, server }: Asked): Row[] {
  const rows = model === 'res.users.apikeys' ? keys(database, server) : database.tables[model];
  const { own } = modelNamed(model);
  const all = own === undefined || user.role === 'admin';
  return (rows ?? []).filter((row) => all || own(row, user.id));
}

const keys = ({ keys: all }: Database, server: Server): Row[] =>
  all.map(({ id, name, userId, scope, expiresAt }) => ({
    id,
    name,
    user_id: userId,
    scope,
    create_date: '2026-11-01 08:00:00',
    ...(major(server) >= 18 && { expiration_date: odooTime(expiresAt) }),
  }));

function fieldsOf({ model, server }: Asked): Set<string> {
  const { fields } = modelNamed(model);
  const here = Object.entries(fields).filter(([, { since = 0 }]) => since <= major(server));
  return new Set(['id', ...here.map(([name]) => name)]);
}

const listed = (value: Value | undefined): string[] =>
  Array.isArray(value) ? value.map(String) : [];

function shown(asked: Asked, rows: Row[]): Value {
  const known = fieldsOf(asked);
  const wanted = listed(asked.values.fields);
  for (const name of wanted) if (!known.has(name)) throw builtin('ValueError', `no field ${name}`);
  const names = wanted.length > 0 ? new Set(['id', ...wanted]) : known;
  const { fields } = modelNamed(asked.model);
  return rows.map((row) =>
    Object.fromEntries(
      [...names].map((name) => {
        const value = row[name] ?? false;
        const relation = fields[name]?.relation;
        return [name, relation && value ? [value, nameOf(asked.database, relation, value)] : value];
      }),
    ),
  );
}

function nameOf(database: Database, relation: string, id: Value): string {
  const row = (database.tables[relation] ?? []).find((each) => each.id === id);
  return String(row?.[modelNamed(relation).named] ?? id);
}

function found(asked: Asked): Row[] {
  const { domain = [], offset = 0, limit = 0, order } = asked.values;
  const matches = tested(domain, fieldsOf(asked));
  // Archived records are found only if they are asked for.
  const archived = JSON.stringify(domain).includes('"active"');
  const rows = visible(asked).filter((row) => (archived || row.active !== false) && matches(row));
  const [field = 'id', direction] = String(order || 'id').split(/[ ,]+/);
  const turned = direction?.toLowerCase() === 'desc' ? -1 : 1;
  rows.sort((a, b) => turned * ((a[field] ?? '') < (b[field] ?? '') ? -1 : 1));
  return rows.slice(Number(offset), limit ? Number(offset) + Number(limit) : undefined);
}

/** Reading leaves out what is missing; changes of it are refused. */
function present(asked: Asked): Row[] {
  const rows = visible(asked);
  return asked.ids.flatMap((id) => rows.find((each) => each.id === id) ?? []);
}

function existing(asked: Asked): Row[] {
  const rows = visible(asked);
  return asked.ids.map((id) => {
    const row = rows.find((each) => each.id === id);
    if (row === undefined) throw missingRecord(`${asked.model} ${id}`);
    return row;
  });
}

function checked(asked: Asked, values: Value | undefined): Values {
  if (values === null || typeof values !== 'object' || Array.isArray(values))
    throw builtin('TypeError', 'the values must be an object');
  const known = fieldsOf(asked);
  for (const name of Object.keys(values))
    if (!known.has(name) || name === 'id') throw builtin('ValueError', `no field ${name}`);
  return values;
}

function created(asked: Asked, given: Value | undefined): number {
  const model = modelNamed(asked.model);
  const rows = asked.database.tables[asked.model] ?? [];
  const id = Math.max(0, ...rows.map((row) => row.id)) + 1;
  const row = { ...model.defaults?.(id), ...checked(asked, given), id };
  for (const [name, { required }] of Object.entries(model.fields))
    if (required && !row[name as keyof typeof row]) throw userError(`${name} is missing`);
  rows.push(row);
  return id;
}

const idsFound = (asked: Asked) => found(asked).map(({ id }) => id);

/** The methods that the models of the fake have. */
export const METHODS: Record<string, Method> = {
  search: { args: ['domain!', 'offset', 'limit', 'order'], run: idsFound },
  search_count: { args: ['domain!', 'limit'], run: (asked) => found(asked).length },
  search_read: {
    args: ['domain', 'fields', 'offset', 'limit', 'order'],
    run: (asked) => shown(asked, found(asked)),
  },
  read: { args: ['fields'], onRecords: true, run: (asked) => shown(asked, present(asked)) },
  fields_get: {
    args: ['allfields', 'attributes'],
    run: (asked) => {
      const wanted = listed(asked.values.allfields);
      const names = wanted.length > 0 ? wanted : [...fieldsOf(asked)].slice(1);
      return Object.fromEntries(names.map((name) => [name, described(asked, name)]));
    },
  },
  name_search: {
    args: ['name', 'args', 'operator', 'limit'],
    run: (asked) => {
      const { named } = modelNamed(asked.model);
      const { name = '', args = [], operator = 'ilike', limit = 100 } = asked.values;
      const domain = [[named, operator, name] as Value, ...(Array.isArray(args) ? args : [])];
      const rows = found({ ...asked, values: { domain, limit } });
      return rows.map((row) => [row.id, String(row[named])]);
    },
  },
  create: {
    args: ['vals_list!'],
    needs: 'write',
    run: (asked) => {
      const { vals_list: given } = asked.values;
      return Array.isArray(given)
        ? given.map((each) => created(asked, each))
        : created(asked, given);
    },
  },
  write: {
    args: ['vals!'],
    onRecords: true,
    needs: 'write',
    run: (asked) => {
      const values = checked(asked, asked.values.vals);
      for (const row of existing(asked)) Object.assign(row, values);
      return true;
    },
  },
  unlink: {
    args: [],
    onRecords: true,
    needs: 'write',
    run: (asked) => {
      const gone = new Set(existing(asked));
      const rows = asked.database.tables[asked.model] ?? [];
      rows.splice(0, rows.length, ...rows.filter((row) => !gone.has(row)));
      return true;
    },
  },
  has_access: { args: ['operation!'], onRecords: true, from: 18, run: allowed },
  check_access_rights: {
    args: ['operation!', 'raise_exception'],
    to: 18,
    run: (asked) => {
      if (!allowed(asked) && asked.values.raise_exception !== false) throw accessError(asked.model);
      return allowed(asked);
    },
  },
  context_get: { args: [], run: ({ user }) => ({ lang: 'en_US', tz: false, uid: user.id }) },
};

function described(asked: Asked, name: string): Value {
  const field = modelNamed(asked.model).fields[name];
  if (field === undefined) throw builtin('ValueError', `no field ${name}`);
  const { type, label, required = false, relation, selection } = field;
  const all = {
    type,
    string: label,
    required,
    readonly: false,
    ...(relation !== undefined && { relation }),
    ...(selection !== undefined && { selection: selection.map((each) => [each, each]) }),
  };
  const attributes = listed(asked.values.attributes);
  return attributes.length === 0
    ? all
    : Object.fromEntries(Object.entries(all).filter(([each]) => attributes.includes(each)));
}
