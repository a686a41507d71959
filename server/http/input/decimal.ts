const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** Python's decimal reads no exponent beyond this. */
const EXPONENT_LIMIT = 1e18;

/** `digits` × 10^`exponent`, without zeros at either end of the digits; zero has no digits. */
interface Decimal {
  sign: 1n | -1n;
  digits: string;
  exponent: number;
}

/** Reads a decimal text exactly, never through a float. Undefined if it is not one. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = DECIMAL.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', scale = '0'] = match;
  if (whole + fraction === '' || Math.abs(Number(scale)) > EXPONENT_LIMIT) return undefined;
  const { digits, dropped } = trimZeros(whole + fraction);
  return {
    sign: sign === '-' ? -1n : 1n,
    digits,
    exponent: digits === '' ? 0 : Number(scale) - fraction.length + dropped,
  };
}

/**
 * The digits without zeros at either end, and the number of zeros dropped on the right. A loop,
 * because /0+$/ takes quadratic time.
 */
function trimZeros(digits: string): { digits: string; dropped: number } {
  let start = 0;
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  while (start < end && digits[start] === '0') start++;
  return { digits: digits.slice(start, end), dropped: digits.length - end };
}
