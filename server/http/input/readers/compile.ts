import type { TObject, TSchema } from 'typebox';
import { BRANCH_NAME } from '../branch-names.ts';
import { COLOR, NO_CONTROL_CHARACTERS, NO_CONTROLS_BUT_LINES } from '../fields.ts';
import { FILE_NAME, NAME } from '../names.ts';
import { type Field, listReader, nullableReader, objectReader } from './compound.ts';
import { readEmail } from './email.ts';
import { readDate, readDateTime } from './moment.ts';
import { type FieldKeywords, type FieldReader, located, type Place } from './reader.ts';
import {
  integerReader,
  integerTextReader,
  readBoolean,
  readBooleanText,
  readUuid,
  usdReader,
} from './scalar.ts';
import {
  branchNameReader,
  enumReader,
  multilineReader,
  nameReader,
  patternReader,
  textReader,
} from './text.ts';

/**
 * The reader of one field built from `fields.ts`.
 * @throws Error at start-up for an unsupported schema, or a type that its place cannot carry
 */
export function readerOf(schema: TSchema, place: Place): FieldReader {
  const keywords = schema as FieldKeywords & { items?: TSchema };
  const { type, anyOf } = keywords;
  if (keywords.format === 'decimal' && place === 'body') return located(usdReader(keywords));
  if (anyOf?.length === 2 && anyOf[1]?.type === 'null' && place === 'body')
    return nullableReader(readerOf(anyOf[0] as TSchema, place));
  if (type === 'object' && place === 'body') return bodyReader(schema as TObject);
  if (type === 'array' && keywords.items !== undefined && place !== 'path')
    return listReader(keywords, readerOf(keywords.items, place));
  if (type === 'string') return located(stringReader(keywords));
  if (type === 'boolean' && place === 'body') return located(readBoolean);
  if (type === 'boolean' && place === 'query') return located(readBooleanText);
  if (type === 'integer')
    return located((place === 'body' ? integerReader : integerTextReader)(keywords));
  throw new Error(`no reader for ${JSON.stringify(schema)} in the ${place}`);
}

/** The reader of an object in a body, or of the body itself. */
function bodyReader(schema: TObject): FieldReader {
  return objectReader(compileFields(schema, 'body'), new Set(Object.keys(schema.properties)));
}

/** The fields of an object that are read; ignored fields are omitted. */
export function compileFields(schema: TObject | undefined, place: Place): Field[] {
  if (!schema) return [];
  const required = new Set<string>(schema.required ?? []);
  return Object.entries(schema.properties)
    .filter(([, property]) => !(property as FieldKeywords).readOnly)
    .map(([name, property]) => ({
      name,
      required: required.has(name),
      fallback: (property as FieldKeywords).default,
      read: readerOf(property, place),
    }));
}

function stringReader(keywords: FieldKeywords) {
  const { format, pattern } = keywords;
  if (format === 'uuid') return readUuid;
  if (format === 'date-time') return readDateTime;
  if (format === 'date') return readDate;
  if (format === 'email') return readEmail;
  if (keywords.enum) return enumReader(keywords.enum);
  if (pattern === NO_CONTROLS_BUT_LINES) return multilineReader(keywords);
  if (pattern === NAME || pattern === FILE_NAME) return nameReader(keywords);
  if (pattern === BRANCH_NAME) return branchNameReader(keywords);
  if (pattern === COLOR) return patternReader({ pattern }, (text) => text.toUpperCase());
  if (pattern === undefined || pattern === NO_CONTROL_CHARACTERS) return textReader(keywords);
  return patternReader({ ...keywords, pattern });
}
