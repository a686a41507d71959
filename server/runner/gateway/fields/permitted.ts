import type { Json } from '../model-api.ts';
import { Refusal } from '../refusal.ts';
import {
  ByType,
  Either,
  FILES,
  type Fields,
  IMAGES,
  type Leaf,
  OneOf,
  Required,
  type Rule,
} from './rules.ts';

/** What a request has besides text, whose length says nothing of its tokens. */
export interface Media {
  images: number;
  files: number;
  /** Characters that images and files take up in the request. */
  characters: number;
}

/** A request of which only what a table names is left. */
interface Permitted {
  body: Json;
  media: Media;
}

/**
 * Makes the body of a request anew from what the table of its API lets through. Throws Refusal with
 * the path of the first field that it does not. A field with null is one that is not there.
 */
export function permitted(table: Fields, body: Json): Permitted {
  const media: Media = { images: 0, files: 0, characters: 0 };
  const passed = object(table, body, '', media);
  return { body: passed === LEFT_OUT ? {} : (passed as Json), media };
}

const LEFT_OUT = Symbol('left out');

/** Deeper than any agent nests a schema, and far from the end of the stack. */
const MAX_DEPTH = 100;

function pass(rule: Rule, value: unknown, at: string, media: Media): unknown {
  if (typeof rule === 'string') return leaf(rule, value, at, media);
  if (isList(rule)) return list(rule[0], value, at, media);
  if (rule instanceof Required) return pass(rule.rule, value, at, media);
  if (rule instanceof OneOf) return one(rule, value, at);
  if (rule instanceof ByType) return typed(rule, value, at, media);
  if (rule instanceof Either) {
    const found = rule.rules.find((each) => isFor(each, value));
    if (found === undefined) throw not(at, `of another kind than the API has here`);
    return pass(found, value, at, media);
  }
  return object(rule as Fields, value, at, media);
}

function object(table: Fields, value: unknown, at: string, media: Media): unknown {
  if (!isObject(value)) throw not(at, 'an object');
  const kept: [string, unknown][] = [];
  for (const [name, of] of Object.entries(value)) {
    const path = at === '' ? name : `${at}.${name}`;
    const rule = Object.hasOwn(table, name) ? table[name] : undefined;
    if (rule === undefined && of !== null) throw refused(path, UNKNOWN);
    if (rule === undefined || rule === 'left out') continue;
    const passed = of === null ? null : pass(rule, of, path, media);
    if (passed !== LEFT_OUT) kept.push([name, passed]);
  }
  for (const [name, rule] of Object.entries(table))
    if (rule instanceof Required && (value[name] ?? undefined) === undefined)
      throw refused(at === '' ? name : `${at}.${name}`, 'it is required');
  // What has lost all that it said would be another thing.
  if (kept.length === 0 && Object.keys(value).length > 0) return LEFT_OUT;
  return Object.fromEntries(kept);
}

function list(rule: Rule, value: unknown, at: string, media: Media): unknown {
  if (!Array.isArray(value)) throw not(at, 'a list');
  const kept = value
    .map((each, i) => pass(rule, each, `${at}[${i}]`, media))
    .filter((each) => each !== LEFT_OUT);
  return kept.length === 0 && value.length > 0 ? LEFT_OUT : kept;
}

function typed(rule: ByType, value: unknown, at: string, media: Media): unknown {
  if (!isObject(value)) {
    if (rule.othersLeftOut) return LEFT_OUT;
    throw not(at, 'an object');
  }
  const type = Object.hasOwn(value, rule.key) ? value[rule.key] : undefined;
  const known = typeof type === 'string' && Object.hasOwn(rule.tables, type);
  const table = known ? rule.tables[type] : (type ?? undefined) === undefined && rule.untyped;
  if (table) return object({ ...table, [rule.key]: 'text' }, value, at, media);
  if (rule.othersLeftOut) return LEFT_OUT;
  throw refused(`${at}.${rule.key}`, `only ${Object.keys(rule.tables).join(', ')} may pass`);
}

function one({ values, leftOut }: OneOf, value: unknown, at: string): unknown {
  if (!values.includes(value as string))
    throw refused(at, `only ${values.map((each) => JSON.stringify(each)).join(', ')} may pass`);
  return leftOut ? LEFT_OUT : value;
}

function leaf(rule: Leaf, value: unknown, at: string, media: Media): unknown {
  switch (rule) {
    case 'left out':
      return LEFT_OUT;
    case 'text':
    case 'message text':
      if (typeof value !== 'string') throw not(at, 'a text');
      if (rule === 'message text' && FILE_ID.test(value)) throw refused(at, BY_VALUE);
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw not(at, 'a number');
      return value;
    case 'flag':
      if (typeof value !== 'boolean') throw not(at, 'true or false');
      return value;
    case 'json':
    case 'schema':
      bounded(value, at, rule === 'schema');
      return value;
    default:
      return content(rule, value, at, media);
  }
}

/** Qwen's providers replace a message that begins with it by the file. */
const FILE_ID = /^\s*fileid:\/\//i;
const BYTES = /^[A-Za-z0-9+/_-]*={0,2}\s*$/;
const ADDRESS = /^data:([a-z]+\/[a-z0-9.+-]+)(?:;[a-z]+=[\w.-]+)?;base64,/i;

/** Content by value: the provider fetches nothing. */
function content(
  rule: 'image address' | 'image bytes' | 'file',
  value: unknown,
  at: string,
  media: Media,
): unknown {
  if (typeof value !== 'string') throw not(at, 'a text');
  const [prefix = '', type = ''] = rule === 'image bytes' ? [] : (ADDRESS.exec(value) ?? []);
  const types: readonly string[] = rule === 'file' ? [...FILES, ...IMAGES] : IMAGES;
  const fits = prefix === '' ? rule !== 'image address' : types.includes(type.toLowerCase());
  if (!fits || !BYTES.test(value.slice(prefix.length))) throw refused(at, BY_VALUE);
  media[rule === 'file' ? 'files' : 'images'] += 1;
  media.characters += value.length;
  return value;
}

/** Throws Refusal for what is nested too deeply, or for a schema that refers to another place. */
function bounded(value: unknown, at: string, schema: boolean, depth = 0): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) throw refused(at, `it is nested more than ${MAX_DEPTH} deep`);
  for (const [name, of] of Object.entries(value)) {
    const refers = schema && REFERENCES.includes(name) && typeof of === 'string';
    if (refers && !of.startsWith('#')) throw refused(`${at}.${name}`, 'only # may begin it');
    bounded(of, at, schema, depth + 1);
  }
}

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];

const isList = (rule: Rule): rule is readonly [Rule] => Array.isArray(rule);

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isFor(rule: Rule, value: unknown): boolean {
  if (rule instanceof Required) return isFor(rule.rule, value);
  if (isList(rule)) return Array.isArray(value);
  if (rule === 'text' || rule === 'message text') return typeof value === 'string';
  if (rule === 'number') return typeof value === 'number';
  if (rule === 'flag') return typeof value === 'boolean';
  if (typeof rule === 'string') return true;
  if (rule instanceof OneOf) return typeof value !== 'object';
  return isObject(value);
}

const UNKNOWN =
  'the gateway does not know this field, and lets nothing through that it does not know';
const BY_VALUE =
  'content must be in the request itself, as base64 of a known type: no address is let through';

const refused = (at: string, why: string) => new Refusal(400, `${at.slice(0, 500)}: ${why}.`);
const not = (at: string, what: string) => refused(at, `it must be ${what}`);
