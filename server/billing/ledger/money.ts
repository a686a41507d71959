/** Micro-USD in one USD. */
const MICRO = 1_000_000n;

/** Micro-USD in one cent. Cards are charged and refunded in whole cents. */
export const MICRO_PER_CENT = 10_000n;

/** A decimal string with 2 to 6 decimals, no exponent, never `-0` (ruling 1.15). */
export function usdText(micro: bigint): string {
  const sign = micro < 0n ? '-' : '';
  const absolute = micro < 0n ? -micro : micro;
  const decimals = (absolute % MICRO)
    .toString()
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${sign}${absolute / MICRO}.${decimals}`;
}

/** A JSON number that prints exactly. This holds below 10^9 USD, the cap of every account. */
export const usdNumber = (micro: bigint): number => Number(micro) / 1_000_000;

/**
 * Micro-USD of a decimal text such as "12.34" with at most 6 decimals; undefined if it is not one.
 */
export function microUsd(text: string): bigint | undefined {
  const match = /^(-?)(\d{1,10})(?:\.(\d{1,6}))?$/.exec(text);
  if (match === null) return undefined;
  const value = BigInt(match[2] as string) * MICRO + BigInt((match[3] ?? '').padEnd(6, '0'));
  return match[1] === '-' ? -value : value;
}
