import type { Value } from '../odoo/xml-rpc.ts';

/** A call of a method of a model. */
export interface ModelCall {
  model: string;
  method: string;
  positional: readonly Value[];
  named: Readonly<Record<string, Value>>;
}

/**
 * Which fields a call reads, searches, sorts and groups by, and which it writes, as paths from its
 * model. What may be a path is taken for one: a word too many only needs another word.
 */

export interface Touched {
  /** Ends with an empty name where the other end of a relation is meant. */
  path: readonly string[];
  /** `link`: records that exist are given to a relation, or taken from it. */
  use: 'read' | 'write' | 'link';
}

/** Methods whose dictionaries are values of fields. */
const WRITES = new Set(['create', 'write', 'web_save', 'web_save_multi', 'copy', 'copy_data']);

/** Their first argument after the records is for people, or no field. */
const SEARCHED_TEXT = new Set(['name_search', 'name_create']);

const OPERATOR =
  /^(=|!=|<>|==|<=?|>=?|=\?|(not )?i?like|=i?like|not =i?like|(not )?in|child_of|parent_of|(not )?any!?)$/i;

export function touchedBy({ method, positional, named }: ModelCall, reads: boolean): Touched[] {
  const found: Touched[] = [];
  const add = (path: readonly string[], use: Touched['use'] = 'read') =>
    path.length > 0 && found.push({ path, use });

  /** Fields as texts, domains, and specifications of what is read. */
  function read(value: Value, prefix: readonly string[] = []): void {
    if (typeof value === 'string') for (const path of pathsIn(value)) add([...prefix, ...path]);
    else if (Array.isArray(value)) readList(value, prefix);
    else if (typeof value === 'object' && value !== null)
      for (const [name, of] of Object.entries(value)) {
        if (name === 'context') continue;
        const [path] = STRUCTURE.has(name) && prefix.length > 0 ? [[]] : pathsIn(name);
        if (path === undefined) continue;
        add([...prefix, ...path]);
        read(of, [...prefix, ...path]);
      }
  }

  function readList(value: readonly Value[], prefix: readonly string[]): void {
    const [left, operator, right] = value;
    const leaf = value.length === 3 && typeof left === 'string' && typeof operator === 'string';
    if (!leaf || !OPERATOR.test(operator)) for (const each of value) read(each, prefix);
    else
      for (const path of pathsIn(left)) {
        add([...prefix, ...path]);
        domainsIn(right, [...prefix, ...path]);
        // Three names in a row may be a list of fields, too.
        if (typeof right === 'string' && /^\w+$/.test(right)) add([right]);
      }
  }

  /**
   * What would be read back if a dictionary were a specification: fields, which may have a name that
   * a specification has besides, and below them `fields` and `order`.
   */
  function specified(value: Value, prefix: readonly string[] = []): void {
    if (!isDictionary(value)) return;
    for (const [name, of] of Object.entries(value)) {
      const path = [...prefix, ...name.split(/[./]/)];
      add(path);
      if (!isDictionary(of)) continue;
      specified(of.fields ?? null, path);
      if (typeof of.order === 'string') read(of.order, path);
    }
  }

  /** What is compared with is data, unless it is a domain itself. */
  function domainsIn(value: Value | undefined, prefix: readonly string[]): void {
    if (!Array.isArray(value)) return;
    if (value.length === 3 && OPERATOR.test(String(value[1]))) readList(value, prefix);
    else for (const each of value) domainsIn(each, prefix);
  }

  /** Values of fields, and what is made or changed through them. */
  function written(values: Value, prefix: readonly string[] = []): void {
    if (Array.isArray(values)) for (const each of values) written(each, prefix);
    else if (typeof values === 'object' && values !== null)
      for (const [name, value] of Object.entries(values)) {
        const path = [...prefix, ...name.split(/[./:]/)];
        add(path, 'write');
        // Commands of a relation reach its other end, too.
        if (Array.isArray(value)) add([...path, ''], value.every(links) ? 'link' : 'write');
        written(value, path);
      }
  }

  function anything(value: Value): void {
    if (typeof value === 'string') {
      if (WHOLE.test(value)) read(value);
    } else if (Array.isArray(value)) {
      if (value.length === 3 && OPERATOR.test(String(value[1]))) readList(value, []);
      else for (const each of value) anything(each);
    } else if (typeof value === 'object' && value !== null) {
      written(value);
      specified(value);
      for (const each of Object.values(value)) anything(each);
    }
  }

  const { context, ...args } = named;
  for (const [name, value] of defaultsIn(context)) written({ [name]: value });
  const all: Value[] = [...positional, ...Object.values(args)];
  if (method === 'load') {
    for (const field of [positional[0] ?? args.fields].flat())
      if (typeof field === 'string') add(field.split(/[./:]/), 'write');
  } else if (SEARCHED_TEXT.has(method)) for (const value of all) domains(value);
  else if (reads || method === 'export_data')
    for (const value of all) {
      read(value);
      specified(value);
    }
  else if (WRITES.has(method))
    for (const value of all) {
      written(value);
      specified(value);
    }
  else for (const value of all) anything(value);
  return found;

  function domains(value: Value): void {
    if (Array.isArray(value)) read(value);
  }
}

/** The defaults of a context, by the names of fields. */
export const defaultsIn = (context: Value | undefined): [string, Value][] =>
  isDictionary(context)
    ? Object.entries(context).flatMap(([key, value]) =>
        key.startsWith('default_') ? [[key.slice('default_'.length), value]] : [],
      )
    : [];

export const isDictionary = (value: Value | undefined): value is Record<string, Value> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keys of a specification that are no fields. */
const STRUCTURE = new Set(['fields', 'order', 'limit', 'offset']);

/** A command with records that exist, or the id of one. */
export const links = (command: Value): boolean =>
  typeof command === 'number' ||
  (Array.isArray(command) && [3, 4, 5, 6].includes(Number(command[0])));

const PATH = /[A-Za-z_]\w*(?:[./][A-Za-z_]\w*)*/g;
const WHOLE = /^\w{1,100}([./:]\w{1,100}){0,20}(\s+(asc|desc))?$/i;

const pathsIn = (text: string): string[][] =>
  (text.match(PATH) ?? []).map((path) => path.split(/[./]/));
