/** A month of the calendar in UTC: from a time, until before another. */
export interface Month {
  name: string;
  from: Date;
  to: Date;
}

/** The month of a text such as "2026-11"; undefined if it is none. */
export function monthOf(text: string): Month | undefined {
  const [, year, month] = /^(2\d{3})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year === undefined || month === undefined) return undefined;
  const at = (months: number) => new Date(Date.UTC(Number(year), Number(month) - 1 + months));
  return { name: text, from: at(0), to: at(1) };
}
