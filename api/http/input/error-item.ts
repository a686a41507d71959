import Type from 'typebox';

/** One entry of a 422 list, in Pydantic v2's shape. `input` is left out when it cannot or should not be echoed. */
export type ErrorItem = {
  type: string;
  loc: (string | number)[];
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

/** Why a value was refused, before anyone knows where in the request it stood. */
export type InputError = { type: string; msg: string; ctx?: Record<string, unknown> };

const MAX_ECHO_BYTES = 1024;

/** True when `input` survives JSON unchanged (no NaN, no Infinity) and takes at most 1 KiB of it. */
function canEcho(input: unknown): boolean {
  let finite = true;
  const json = JSON.stringify(input, (_key, value) => {
    if (typeof value === 'number' && !Number.isFinite(value)) finite = false;
    return value;
  });
  return json !== undefined && finite && Buffer.byteLength(json) <= MAX_ECHO_BYTES;
}

/** An item for `refusal` at `loc`; `input` is echoed only up to 1 KiB of JSON (validation.md). */
export function itemOf(error: InputError, loc: (string | number)[], input?: unknown): ErrorItem {
  const item: ErrorItem = { type: error.type, loc, msg: error.msg };
  if (canEcho(input)) item.input = input;
  if (error.ctx) item.ctx = error.ctx;
  return item;
}

/** An item for a rule of our own (`not_a_member`, `team_name_taken`, ...), see ruling 1.4. */
export function itemAt(
  type: string,
  loc: (string | number)[],
  msg: string,
  input?: unknown,
): ErrorItem {
  return itemOf({ type, msg }, loc, input);
}
