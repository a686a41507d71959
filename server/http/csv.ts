/** A number of ours, such as an amount: never a formula, although it may begin with a minus. */
interface CsvNumber {
  number: string;
}

/**
 * A line of RFC 4180. A spreadsheet takes a cell that begins with one of `=`, `+`, `-`, `@`, a tab
 * or a carriage return for a formula and runs it; such a cell gets an apostrophe in front.
 */
export function csvLine(cells: readonly (string | CsvNumber | undefined)[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

function cell(content: string | CsvNumber = ''): string {
  if (typeof content !== 'string') return content.number;
  const inert = /^[=+\-@\t\r]/.test(content) ? `'${content}` : content;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
