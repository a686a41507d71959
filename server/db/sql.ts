/**
 * A piece of SQL with its parameters, made by sql`…`. Pieces nest, so that access rules and
 * operations compose into one statement. Only text written in the source becomes SQL; every value
 * is sent as a parameter.
 */
export class Sql {
  /** The text around the parameters. Pieces composed in the same way share one array. */
  readonly strings: readonly string[];
  readonly values: readonly unknown[];

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings;
    this.values = values;
  }
}

/**
 * A tree of the compositions that have been made: from the text of a template, by what each of its
 * values is, to the composed text. It is finite, because the texts come only from the source.
 */
interface Composition {
  strings: readonly string[] | undefined;
  /** By the text of a nested piece, or by PARAMETER. */
  next: Map<readonly string[], Composition>;
}

const PARAMETER: readonly string[] = [];
const compositions = new Map<readonly string[], Composition>();

/**
 * sql`select … where id = ${id}`: a statement or a piece of one. A nested Sql is spliced in,
 * everything else is a parameter. The text is composed once; requests only collect the values.
 */
export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  let composition = follow(compositions, strings);
  const parameters: unknown[] = [];
  for (const value of values) {
    if (value instanceof Sql) {
      composition = follow(composition.next, value.strings);
      for (const inner of value.values) parameters.push(inner);
    } else {
      composition = follow(composition.next, PARAMETER);
      parameters.push(value);
    }
  }
  composition.strings ??= splice(strings, values);
  return new Sql(composition.strings, parameters);
}

function follow(from: Composition['next'], by: readonly string[]): Composition {
  let next = from.get(by);
  if (next === undefined) {
    next = { strings: undefined, next: new Map() };
    from.set(by, next);
  }
  return next;
}

function splice(strings: readonly string[], values: readonly unknown[]): readonly string[] {
  const spliced = [strings[0] as string];
  const append = (text: string) => {
    spliced[spliced.length - 1] += text;
  };
  for (const [index, value] of values.entries()) {
    const [first, ...others] = value instanceof Sql ? value.strings : ['', ''];
    append(first as string);
    spliced.push(...others);
    append(strings[index + 1] as string);
  }
  return spliced;
}

const texts = new Map<string, Sql>();

/** A piece of SQL whose text is put together from constants of the source. */
export function sqlText(text: string): Sql {
  const piece = texts.get(text) ?? new Sql([text], []);
  texts.set(text, piece);
  return piece;
}

/** An empty piece, for optional parts of a statement. */
export const nothing: Sql = sqlText('');

interface Prepared {
  name: string;
  text: string;
}

const prepared = new WeakMap<readonly string[], Prepared>();
const byText = new Map<string, Prepared>();

/**
 * The statement in the form that `pg` takes, named by its text so that PostgreSQL plans it once per
 * connection. The number of texts is finite, because they come only from the source.
 */
export function statement(query: Sql): Prepared & { values: unknown[] } {
  const { strings, values } = query;
  let known = prepared.get(strings);
  if (known === undefined) {
    known = prepare(strings.reduce((all, part, i) => `${all}$${i}${part}`));
    prepared.set(strings, known);
  }
  return { ...known, values: values as unknown[] };
}

function prepare(text: string): Prepared {
  const known = byText.get(text) ?? { name: `s${byText.size}`, text };
  byText.set(text, known);
  return known;
}
