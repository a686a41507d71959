/**
 * What GitHub says, as the database can store it: `longest` code points at most, of which the last
 * is an ellipsis where something is left out.
 */
export function shownText(text: string, longest: number): string {
  const storable = text.toWellFormed().replaceAll('\0', '\ufffd');
  // Only the beginning of a long text is taken apart: a code point has one unit or two.
  const characters = Array.from(storable.slice(0, 2 * longest + 2));
  return characters.length <= longest ? storable : `${characters.slice(0, longest - 1).join('')}…`;
}
