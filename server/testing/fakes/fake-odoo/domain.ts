import type { Value } from '../../../erp/odoo/xml-rpc.ts';
import { builtin } from './failures.ts';
import type { Row } from './fields.ts';

type Test = (row: Row) => boolean;

/**
 * A condition in Odoo's notation: terms `[field, operator, value]`, with `&`, `|` and `!` in front
 * of what they combine; terms side by side must all hold.
 */
export function tested(domain: Value, fields: ReadonlySet<string>): Test {
  if (!Array.isArray(domain)) throw builtin('ValueError', 'a domain must be a list');
  const rest = [...domain];
  const tests: Test[] = [];
  while (rest.length > 0) tests.push(next(rest, fields));
  return (row) => tests.every((test) => test(row));
}

function next(rest: Value[], fields: ReadonlySet<string>): Test {
  const term = rest.shift();
  if (term === '!') {
    const inner = next(rest, fields);
    return (row) => !inner(row);
  }
  if (term === '&' || term === '|') {
    const first = next(rest, fields);
    const second = next(rest, fields);
    return term === '&' ? (row) => first(row) && second(row) : (row) => first(row) || second(row);
  }
  if (!Array.isArray(term) || term.length !== 3)
    throw builtin('ValueError', 'a domain has a term that is not a list of three');
  const [field, operator, value] = term;
  const name = String(field);
  if (!fields.has(name)) throw builtin('ValueError', `no field ${name}`);
  const compare = OPERATORS[String(operator)];
  if (compare === undefined) throw builtin('ValueError', `no operator ${operator}`);
  return (row) => compare(row[name] ?? false, value ?? false);
}

const list = (value: Value): Value[] => (Array.isArray(value) ? value : [value]);

const contains = (text: Value, part: Value, fold: (text: string) => string): boolean =>
  typeof text === 'string' && fold(text).includes(fold(String(part)));

const same = (text: string) => text;
const folded = (text: string) => text.toLowerCase();
const less = (a: Value, b: Value) => a !== null && b !== null && a < b;

const OPERATORS: Record<string, (actual: Value, value: Value) => boolean> = {
  '=': (actual, value) => actual === value,
  '!=': (actual, value) => actual !== value,
  in: (actual, value) => list(value).includes(actual),
  'not in': (actual, value) => !list(value).includes(actual),
  like: (actual, value) => contains(actual, value, same),
  ilike: (actual, value) => contains(actual, value, folded),
  '<': (actual, value) => less(actual, value),
  '>': (actual, value) => less(value, actual),
  '<=': (actual, value) => !less(value, actual),
  '>=': (actual, value) => !less(actual, value),
};
