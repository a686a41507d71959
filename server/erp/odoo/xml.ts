import sax from 'sax';

/** An element of an XML document. `text` is what stands directly in it. */
export interface Element {
  name: string;
  text: string;
  children: Element[];
}

/** A text that is not XML, or that exceeds what is read here. It quotes nothing of the text. */
export class XmlError extends Error {}

/** What an answer of 1 MiB needs is far below these. */
const DEEPEST = 64;
const MOST_ELEMENTS = 50_000;
/** Of characters, by name or number: sax takes a microsecond and more for each. */
const MOST_REFERENCES = 100_000;
const LONGEST = 1024 * 1024;
/** After each of them sax looks whether a name or the like is longer than this. */
const PIECE = 64 * 1024;

/**
 * The root of a document. Attributes, which XML-RPC does not have, are refused. A document type is refused, so that there is nothing to expand: only the
 * five entities of XML itself and numbers of characters are known.
 */
export function parseXml(text: string): Element {
  if (text.length > LONGEST) throw new XmlError('The document is too long.');
  if (occurrences(text, '&') > MOST_REFERENCES)
    throw new XmlError('The document has too many references to characters.');
  const reading = sax.parser(true, { strictEntities: true } as sax.SAXOptions);
  const open: Element[] = [];
  let root: Element | undefined;
  let elements = 0;
  const refuse = (): never => {
    throw new XmlError('The document has a document type or an attribute, which is not read.');
  };
  const add = (piece: string) => {
    const current = open.at(-1);
    if (current !== undefined) current.text += piece;
  };
  reading.ondoctype = refuse;
  reading.onsgmldeclaration = refuse;
  reading.onattribute = refuse;
  reading.onerror = () => {
    throw new XmlError('The document is not well-formed XML.');
  };
  reading.ontext = add;
  reading.oncdata = add;
  reading.onopentag = ({ name }) => {
    elements += 1;
    if (elements > MOST_ELEMENTS) throw new XmlError('The document has too many elements.');
    if (open.length >= DEEPEST) throw new XmlError('The document is nested too deeply.');
    const element: Element = { name, text: '', children: [] };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  };
  reading.onclosetag = () => void open.pop();
  for (let at = 0; at < text.length; at += PIECE) reading.write(text.slice(at, at + PIECE));
  reading.close();
  if (root === undefined) throw new XmlError('The document is empty.');
  return root;
}

function occurrences(text: string, of: string): number {
  let count = 0;
  for (let at = text.indexOf(of); at >= 0; at = text.indexOf(of, at + 1)) count += 1;
  return count;
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

/** Characters that XML 1.0 cannot hold, not even as numbers. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is meant
const IMPOSSIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** Text of an element. What XML cannot hold becomes U+FFFD. */
export const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(IMPOSSIBLE, '\ufffd')
    .replace(/[&<>\r]/g, (character) => ESCAPES[character] ?? character);
