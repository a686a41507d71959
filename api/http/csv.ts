/**
 * A line of RFC 4180. A spreadsheet takes a cell that begins with one of `=`, `+`, `-`, `@`, a tab
 * or a carriage return for a formula and runs it; such a cell gets an apostrophe in front.
 */
export function csvLine(cells: readonly (string | undefined)[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

function cell(text = ''): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
