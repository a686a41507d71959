/** Amounts in USD, as the API writes them and as people do; digits alone, never as floats. */

/**
 * "$1,234.50": with separators of thousands and two decimals, rounded half up. What would be $0.00
 * without being nothing is "< $0.01".
 */
export function dollars(amount: string | number): string {
  const [, sign = '', whole = '0', rest = ''] =
    /^(-?)(\d+)(?:\.(\d*))?$/.exec(String(amount).trim()) ?? [];
  const digits = rest.padEnd(3, '0');
  const cents =
    BigInt(whole) * 100n + BigInt(digits.slice(0, 2)) + (Number(digits[2]) >= 5 ? 1n : 0n);
  const minus = sign === '-' ? '−' : '';
  if (cents === 0n && /[1-9]/.test(rest)) return sign === '-' ? '> −$0.01' : '< $0.01';
  const text = String(cents).padStart(3, '0');
  return `${minus && cents > 0n ? minus : ''}$${grouped(text.slice(0, -2))}.${text.slice(-2)}`;
}

/** The same with all its decimals. */
export function exactDollars(amount: string | number): string {
  const [, sign = '', whole = '0', rest = ''] = /^(-?)(\d+)(.*)$/.exec(String(amount)) ?? [];
  const decimals = (rest === '' ? '.' : rest).padEnd(3, '0');
  return `${sign === '-' ? '−' : ''}$${grouped(whole)}${decimals}`;
}

const grouped = (digits: string): string => digits.replaceAll(/\B(?=(\d{3})+$)/g, ',');

/** What is wrong with the text of a field for an amount; null if the server can read it. */
export function amountError(text: string): string | null {
  const typed = text.trim();
  if (/^\d+,\d{1,2}$/.test(typed))
    return `Write the cents after a point: ${typed.replace(',', '.')}`;
  if (/^\d{1,3}(,\d{3})+(\.\d*)?$/.test(typed))
    return `Write the amount without commas: ${typed.replaceAll(',', '')}`;
  return /[^\d.eE+-]/.test(typed) ? 'Write an amount in USD, such as 25.50' : null;
}
