/**
 * A piece of SQL with its parameters, made by sql`…`. Pieces nest, so that access rules and
 * operations compose into one statement. Only text written in the source becomes SQL; every value
 * is sent as a parameter.
 */
export class Sql {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings;
    this.values = values;
  }
}

/**
 * sql`select … where id = ${id}`: a statement or a piece of one. A nested Sql is spliced in,
 * everything else is a parameter.
 */
export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  if (!values.some((value) => value instanceof Sql)) return new Sql(strings, values);
  const texts: string[] = [strings[0] as string];
  const parameters: unknown[] = [];
  const append = (text: string) => {
    texts[texts.length - 1] += text;
  };
  values.forEach((value, index) => {
    const after = strings[index + 1] as string;
    if (value instanceof Sql) {
      append(value.strings[0] as string);
      value.values.forEach((inner, at) => {
        parameters.push(inner);
        texts.push(value.strings[at + 1] as string);
      });
      append(after);
    } else {
      parameters.push(value);
      texts.push(after);
    }
  });
  return new Sql(texts, parameters);
}

/** An empty piece, for optional parts of a statement. */
export const nothing: Sql = new Sql([''], []);

const names = new Map<string, string>();

/**
 * The statement in the form that `pg` takes, named by its text so that PostgreSQL plans it once per
 * connection. The number of texts is finite, because they come only from the source.
 */
export function statement(query: Sql): { name: string; text: string; values: unknown[] } {
  let text = query.strings[0] as string;
  for (let i = 1; i < query.strings.length; i++) text += `$${i}${query.strings[i]}`;
  let name = names.get(text);
  if (name === undefined) {
    name = `s${names.size}`;
    names.set(text, name);
  }
  return { name, text, values: query.values as unknown[] };
}
