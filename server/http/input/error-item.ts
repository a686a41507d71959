import Type from 'typebox';

/** The location of a value in the request: `['body', 'members', 0, 'email']`. */
export type Location = (string | number)[];

/**
 * One item of a 422 list, in Pydantic v2's shape. `input` is omitted if it cannot or should not be
 * echoed.
 */
export type ErrorItem = {
  type: string;
  loc: Location;
  msg: string;
  input?: unknown;
  ctx?: Record<string, unknown>;
};

/** The schema of an `ErrorItem`, for the OpenAPI document and the response serializer. */
export const itemSchema = Type.Object({
  type: Type.String(),
  loc: Type.Array(Type.Union([Type.String(), Type.Integer()])),
  msg: Type.String(),
  input: Type.Optional(Type.Unknown()),
  ctx: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

/** Why a value was refused, without its location. */
export type InputError = { type: string; msg: string; ctx?: Record<string, unknown> };

const MAX_ECHO_BYTES = 1024;

/**
 * The most errors that an answer lists, because a small body with many unknown fields must not
 * produce a large answer.
 */
const MAX_ITEMS = 100;

/** Whether `input` is at most 1 KiB of JSON and JSON can hold it (no NaN, no Infinity). */
function canEcho(input: unknown): boolean {
  let survives = true;
  const json = JSON.stringify(input, (_key, value) => {
    if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))) {
      survives = false;
      return null;
    }
    return value;
  });
  return json !== undefined && survives && Buffer.byteLength(json) <= MAX_ECHO_BYTES;
}

/** An item for `error` at `loc`; `input` is echoed up to 1 KiB of JSON. */
function itemOf(error: InputError, loc: Location, input?: unknown): ErrorItem {
  const item: ErrorItem = { type: error.type, loc, msg: error.msg };
  if (canEcho(input)) item.input = input;
  if (error.ctx) item.ctx = error.ctx;
  return item;
}

/** An item for one of our own rules, such as `team_name_taken` (ruling 1.4). */
export function itemAt(type: string, loc: Location, msg: string, input?: unknown): ErrorItem {
  return itemOf({ type, msg }, loc, input);
}

/** Whether a body has a secret in it: a field that is `writeOnly`. */
export function hasSecret(body: object | undefined): boolean {
  const { properties = {} } = (body ?? {}) as { properties?: Record<string, object> };
  const fields: { writeOnly?: boolean }[] = Object.values(properties);
  return fields.some(({ writeOnly }) => writeOnly);
}

/** The items of a body, none of which shows a secret in it. */
export function withoutSecrets(
  items: readonly ErrorItem[],
  body: object | undefined,
): readonly ErrorItem[] {
  if (!hasSecret(body)) return items;
  return items.map((item) => {
    const { input: _, ...rest } = item;
    return item.loc[0] === 'body' ? rest : item;
  });
}

/** The values as they were sent: what an item shows as `input`. */
export type Sent = { path: unknown; query: unknown; body: unknown };

/**
 * Completes the item of a rule that a handler checked: `input` becomes the value that was sent at
 * the item's location, or the object that lacks a missing field. An item whose location is not in
 * the request stays as it is.
 */
export function echo(item: ErrorItem, sent: Sent): ErrorItem {
  const { input: given, ...rest } = item;
  const path = item.type === 'missing' ? item.loc.slice(0, -1) : item.loc;
  const input = path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string | number, unknown>)[key]
        : undefined,
    sent,
  );
  if (input === undefined) return item;
  return canEcho(input) ? { ...rest, input } : rest;
}

/** Collects the errors of one request. After `MAX_ITEMS`, errors are only counted. */
export class ErrorList {
  count = 0;
  readonly #items: ErrorItem[] = [];
  #firstUnlisted: Location = [];

  add(error: InputError, loc: Location, input?: unknown): void {
    this.count++;
    if (this.count <= MAX_ITEMS) this.#items.push(itemOf(error, loc, input));
    else if (this.count === MAX_ITEMS + 1) this.#firstUnlisted = loc.slice(0, 1);
  }

  /**
   * The items in the order in which they were found. If not all errors are listed, a last item
   * says how many there are.
   */
  items(): ErrorItem[] {
    if (this.count <= MAX_ITEMS) return this.#items;
    const msg =
      `The request has ${this.count} errors; ` +
      `the first ${MAX_ITEMS} are listed: correct these first`;
    const ctx = { error_count: this.count, max_listed: MAX_ITEMS };
    return [...this.#items, { type: 'too_many_errors', loc: this.#firstUnlisted, msg, ctx }];
  }
}
