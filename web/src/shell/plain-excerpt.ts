/**
 * A piece of Markdown as a line of plain text. It is cut out of a message, so that signs may have no
 * partner: a parser would keep those.
 */
export const plainExcerpt = (piece: string): string =>
  piece
    .replaceAll(/^\s*(?:```|~~~).*$/gm, ' ')
    .replaceAll(/^\s*(?:>\s?|#{1,6}\s+|[-*+]\s+(?:\[[ xX]\]\s+)?|\d+[.)]\s+)+/gm, '')
    .replaceAll(/^\s*(?:[-*_]\s*){3,}$|^[\s|:-]*-{2,}[\s|:-]*$/gm, ' ')
    .replaceAll(/!?\[([^\]\n]*)\]\([^)\n]*\)?/g, '$1')
    .replaceAll(/\*\*|__|~~|`/g, '')
    .replaceAll(/(?<![\w*])[*_](?=\S)|(?<=\S)[*_](?![\w*])/g, '')
    .replaceAll(/\s*\|\s*/g, ' · ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^(?: ?· ?)+|(?: ?· ?)+$/g, '')
    .trim();
