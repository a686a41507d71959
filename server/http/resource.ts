import Type, { type TObject, type TSchema } from 'typebox';
import { jsonBoolean, jsonObject, jsonText, jsonToken } from '../db/json.ts';
import { type Sql, sql, sqlText } from '../db/sql.ts';
import { revision } from './change.ts';
import { COLOR, ignored, nullable } from './input/fields.ts';
import type { DeclaredAnswer } from './route.ts';
import { timestampSql } from './timestamps.ts';

/** A role's slug, in the form that a check of its table enforces. */
export const ROLE_SLUG = '^[a-z][a-z0-9_-]{0,49}$';

/**
 * A field: its schema, where its value comes from, an example, and whether callers may set it. One
 * that is clearable may be empty: an update clears it with null, and it is then left out.
 */
type Field = readonly [
  schema: TSchema,
  value: Sql,
  example: unknown,
  access?: 'writable' | 'clearable',
];
type Fields = Record<string, Field>;

type Writable<F extends Fields> = {
  [Name in keyof F as F[Name][3] extends 'writable' | 'clearable' ? Name : never]: F[Name][0];
};
type Changes<F extends Fields> = {
  [Name in keyof Writable<F>]: Type.TOptional<
    F[Name][3] extends 'clearable' ? Type.TUnion<[F[Name][0], Type.TNull]> : F[Name][0]
  >;
};

/**
 * What the API shows of a thing, defined once. Its fields read from a row with the alias that their
 * SQL uses.
 */
export interface Resource<F extends Fields> {
  /** The named component of the document. */
  schema: TObject;
  example: Record<string, unknown>;
  /** The JSON text of a row. */
  json: Sql;
  /**
   * What a statement selects to show one: `item`, its JSON text, and `revision`, for the ETag. Of a
   * row `t`.
   */
  columns: Sql;
  /** What the ETag is made of, of a row `t`. */
  revision: Sql;
  /** The schemas of the fields that callers may set. */
  writable: Writable<F>;
  /**
   * The body of an update (ruling 4): every writable field may be omitted, one that may be empty
   * may also be null, and a read-only one is ignored.
   */
  changes: TObject<Changes<F>>;
  /** The declared answer that shows one. */
  shown(description: string, headers?: string[]): DeclaredAnswer;
  /** The declared answer that lists them. */
  listed(description: string): DeclaredAnswer;
  /** The writable columns of a composite value as one jsonb, for the audit trail. */
  snapshot(row: Sql): Sql;
  /** The column of its table that names the project it is or belongs to, for the audit trail. */
  project: 'id' | 'project_id' | undefined;
  /** The column of its table that names its workspace, for the audit trail. */
  workspace: 'id' | 'organization_id';
}

export function resource<const F extends Fields>(
  name: string,
  fields: F,
  {
    project,
    workspace = 'organization_id',
    revision: etagOf = revision(sql`t.updated_at`),
  }: {
    project?: 'id' | 'project_id';
    workspace?: 'id' | 'organization_id';
    revision?: Sql;
  } = {},
): Resource<F> {
  const entries = Object.entries(fields);
  const writable = entries.filter(([, [, , , access]]) => access !== undefined);
  const json = entries.map(([field, [schema, value]]) => [field, jsonOf(schema, value)] as const);
  const text = jsonObject(Object.fromEntries(json));
  const changes = entries.map(
    ([field, definition]) => [field, Type.Optional(changeOf(definition))] as const,
  );
  const schema = Type.Object(
    Object.fromEntries(
      entries.map(([field, [schema, , , access]]) => [
        field,
        access === 'clearable' ? Type.Optional(schema) : schema,
      ]),
    ),
    { $id: name },
  );
  const example = Object.fromEntries(
    entries.flatMap(([field, [, , example]]) => (example === undefined ? [] : [[field, example]])),
  );
  return {
    schema,
    example,
    project,
    workspace,
    shown: (description, headers = ['ETag']) => ({ description, headers, schema, example }),
    listed: (description) => ({
      description,
      headers: ['Link'],
      schema: Type.Array(schema),
      example: [example],
    }),
    json: text,
    columns: sql`${text} as item, ${etagOf} as revision`,
    revision: etagOf,
    writable: Object.fromEntries(
      writable.map(([field, [schema]]) => [field, schema]),
    ) as Writable<F>,
    changes: Type.Object(Object.fromEntries(changes), {
      additionalProperties: false,
    }) as unknown as TObject<Changes<F>>,
    snapshot: (row) => {
      const columns = writable.map(
        ([field]) => sql`${sqlText(`'${field}', (`)}${row}${sqlText(`).${field}`)}`,
      );
      return sql`jsonb_build_object(${columns.reduce(
        (all, column) => sql`${all},
           ${column}`,
      )})`;
    },
  };
}

function changeOf([schema, , , access]: Field): TSchema {
  if (access === undefined) return ignored();
  return access === 'clearable' ? nullable(schema) : schema;
}

/**
 * A value as JSON text, escaped according to the type that its schema declares and to nothing else:
 * a uuid, a time, a boolean and a number contain nothing to escape; an enum, a colour and a role
 * have a form that a check of their table enforces; any other text is escaped. A null value omits
 * its field.
 */
function jsonOf(schema: TSchema, value: Sql): Sql {
  const { type, format, pattern } = schema as { type?: string; format?: string; pattern?: string };
  if (format === 'uuid') return jsonToken(sql`(${value})::uuid`);
  if (format === 'date-time') return jsonToken(timestampSql(sql`(${value})`));
  if (format === 'usd') return jsonToken(usdSql(value));
  if (type === 'boolean') return jsonBoolean(sql`(${value})::boolean`);
  if (type === 'integer') return sql`(${value})::bigint::text`;
  if ('enum' in schema || pattern === COLOR || pattern === ROLE_SLUG) return jsonToken(value);
  if (type === 'string') return jsonText(sql`(${value})::text`);
  return sql`(${value})::json::text`;
}

/** Micro-USD as the API writes money: a decimal with 2 to 6 places (ruling 1.15). */
export const usdSql = (micro: Sql): Sql => sql`(
  select round(usd, greatest(min_scale(usd), 2))
    from (values ((${micro})::numeric / 1000000)) amount (usd))::text`;

/** A decimal string in USD, whose value is SQL in micro-USD. */
export const usd = (options: Type.TSchemaOptions = {}) =>
  Type.String({ description: 'USD', ...options, format: 'usd', pattern: '^-?\\d+\\.\\d{2,6}$' });
