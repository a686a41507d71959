import { parseDecimal } from './decimal.ts';
import type { InputError } from './error-item.ts';
import { isExactNumber } from './json.ts';

/** Micro-USD (1 USD = 1,000,000), the unit of the ledger. */
type MicroUsd = bigint;

const NOT_FINITE = /^[+-]?(?:inf(?:inity)?|s?nan\d*)$/i;

/** A number with more digits before the point exceeds every bound; nothing larger is computed. */
const MAX_WHOLE_DIGITS = 15;

const TYPE: InputError = {
  type: 'decimal_type',
  msg: 'Decimal input should be an integer, float, string or Decimal object',
};
const PARSING: InputError = { type: 'decimal_parsing', msg: 'Input should be a valid decimal' };
const FINITE: InputError = { type: 'finite_number', msg: 'Input should be a finite number' };
const UNICODE: InputError = {
  type: 'string_unicode',
  msg: 'Input should be a valid string, unable to parse raw data as a unicode string',
};
const PLACES: InputError = {
  type: 'decimal_max_places',
  msg: 'Decimal input should have no more than 2 decimal places',
  ctx: { decimal_places: 2 },
};

/**
 * Micro-USD of a decimal text, `'huge'` if it exceeds every bound, or the reason why it is not an
 * amount.
 */
function parseUsd(text: string): { sign: 1n | -1n; micro: MicroUsd | 'huge' } | InputError {
  const trimmed = text.trim();
  if (NOT_FINITE.test(trimmed)) return FINITE;
  const decimal = parseDecimal(trimmed);
  if (decimal === undefined) return PARSING;
  const { sign, digits, exponent } = decimal;
  if (digits === '') return { sign, micro: 0n };
  if (exponent < -2) return PLACES;
  if (digits.length + exponent > MAX_WHOLE_DIGITS) return { sign, micro: 'huge' };
  return { sign, micro: sign * BigInt(digits) * 10n ** BigInt(exponent + 6) };
}

function boundOf(usd: number): MicroUsd {
  const parsed = parseUsd(String(usd));
  if (!('micro' in parsed) || parsed.micro === 'huge') throw new Error(`not an amount: ${usd}`);
  return parsed.micro;
}

/**
 * A reader of USD amounts between `minimum` and `maximum` (USD, inclusive; ruling 6): a JSON number
 * or a decimal text, at most two decimals, never rounded. It returns micro-USD or
 * Pydantic v2's error.
 */
export function amountReader(
  minimum: number,
  maximum: number,
): (value: unknown) => MicroUsd | InputError {
  const least = boundOf(minimum);
  const most = boundOf(maximum);
  const above: InputError = {
    type: 'less_than_equal',
    msg: `Input should be less than or equal to ${maximum}`,
    ctx: { le: maximum },
  };
  const below: InputError = {
    type: 'greater_than_equal',
    msg: `Input should be greater than or equal to ${minimum}`,
    ctx: { ge: minimum },
  };
  return (value) => {
    const text = isExactNumber(value) ? value.rawJSON : value;
    if (typeof text === 'number') {
      if (!Number.isFinite(text)) return FINITE;
    } else if (typeof text !== 'string') return TYPE;
    else if (!text.isWellFormed()) return UNICODE;

    // The shortest text that reads back as the number is what the sender meant, in Python as well
    // as here. A number with more digits is judged by its digits.
    const parsed = parseUsd(String(text));
    if (!('micro' in parsed)) return parsed;
    if (parsed.micro === 'huge') return parsed.sign > 0n ? above : below;
    if (parsed.micro > most) return above;
    if (parsed.micro < least) return below;
    return parsed.micro;
  };
}
