import type { AlignType, Nodes, Parents, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/**
 * The Markdown of an agent or a person as what a page draws: no HTML and no pictures of the author,
 * only links that lead to the web or to a mail address, and no more than a page can draw at once.
 */

/** A text, or an element with what is in it. */
export type Part = string | [tag: Tag, attributes: Attributes, parts: Part[]];

type Tag =
  | 'hr'
  | 'br'
  | 'h1'
  | 'h2'
  | 'h3'
  | 'h4'
  | 'h5'
  | 'h6'
  | 'blockquote'
  | 'ul'
  | 'ol'
  | 'li'
  | 'p'
  | 'pre'
  | 'code'
  | 'em'
  | 'strong'
  | 'del'
  | 'sup'
  | 'a'
  | 'table'
  | 'thead'
  | 'tbody'
  | 'tr'
  | 'th'
  | 'td';

interface Attributes {
  href?: string;
  start?: number;
  /** Of a cell: classes, because the content policy permits no inline styles. */
  className?: string;
  /** Of what has no other such part within: its first and last line, where they are asked for. */
  lines?: Lines;
}

/** Lines of a text, from 1. */
export type Lines = readonly [start: number, end: number];

/** A text would be more than a page can draw. */
export class TooMuch extends Error {}

export const LIMITS = {
  /** Of a text. A plan may have so many. */
  characters: 100_000,
  /** Containers in one another. */
  depth: 40,
  /** Elements and pieces of text. */
  parts: 10_000,
  /** Characters of an address. */
  address: 2_000,
};

// The parser takes a time that grows with the square of their number, or more.
const MANY_CONTAINERS = /^(?:[ \t]{0,3}(?:>|[*+-][ \t]|\d{1,9}[.)][ \t])){100}/m;

/** Errors: TooMuch. It may take seconds, so it is for a thread of its own. */
export function treeOf(markdown: string, withLines = false): Part[] {
  if (markdown.length > LIMITS.characters || MANY_CONTAINERS.test(markdown)) throw new TooMuch();
  const root = fromMarkdown(markdown, {
    extensions: [gfm()],
    mdastExtensions: [gfmFromMarkdown()],
  });
  const addresses = addressesIn(root);
  let parts = 0;

  const partsOf = ({ children }: Parents, depth: number): Part[] =>
    children.flatMap((child) => drawn(child, depth + 1));

  const cells = (row: Parents, tag: 'th' | 'td', align: readonly AlignType[], depth: number) =>
    row.children.map((cell, column): Part => {
      const side = align[column];
      const attributes = side === 'center' || side === 'right' ? { className: `text-${side}` } : {};
      count(depth);
      return [tag, attributes, partsOf(cell as Parents, depth)];
    });

  /** The lines of a part, to the one before another part within begins. */
  const linesOf = ({ position }: Nodes, next?: Nodes): Attributes => {
    if (!withLines || position === undefined) return {};
    const { start, end } = position;
    const last = next?.position === undefined ? end.line : next.position.start.line - 1;
    return { lines: [start.line, Math.max(start.line, last)] };
  };

  function count(depth: number): void {
    if (++parts > LIMITS.parts || depth > LIMITS.depth) throw new TooMuch();
  }

  function drawn(node: Nodes, depth: number): Part[] {
    count(depth);
    const within = (tag: Tag, attributes: Attributes = {}): Part[] => [
      [tag, attributes, partsOf(node as Parents, depth)],
    ];
    switch (node.type) {
      case 'text':
      case 'html':
        return [node.value];
      case 'inlineCode':
        return [['code', {}, [node.value]]];
      case 'code':
        return [['pre', linesOf(node), [['code', {}, [node.value]]]]];
      case 'paragraph':
        return within('p', linesOf(node));
      case 'heading':
        return within(`h${node.depth}`, linesOf(node));
      case 'emphasis':
        return within('em');
      case 'strong':
        return within('strong');
      case 'delete':
        return within('del');
      case 'blockquote':
        return within('blockquote');
      case 'list':
        return node.ordered === true ? within('ol', startOf(node.start)) : within('ul');
      case 'listItem': {
        const [first, ...others] = node.children;
        const box = node.checked == null ? [] : [node.checked ? '☑ ' : '☐ '];
        // The only paragraph of an item needs no distance to others.
        const begin = first?.type === 'paragraph' && node.spread !== true;
        const lines = begin ? partsOf(first, depth + 1) : first ? drawn(first, depth + 1) : [];
        const own = begin ? linesOf(node, others[0]) : {};
        return [
          ['li', own, [...box, ...lines, ...others.flatMap((other) => drawn(other, depth + 1))]],
        ];
      }
      case 'thematicBreak':
        return [['hr', {}, []]];
      case 'break':
        return [['br', {}, []]];
      case 'link':
        return within('a', addressed(node.url));
      case 'linkReference':
        return within('a', addressed(addresses.get(node.identifier)));
      case 'image':
      case 'imageReference':
        return [['em', {}, [node.alt ?? '']]];
      case 'footnoteReference':
        return [['sup', {}, [`[${node.label ?? node.identifier}]`]]];
      case 'footnoteDefinition':
        return [
          ['p', {}, [['sup', {}, [`[${node.label ?? node.identifier}]`]]]],
          ...partsOf(node, depth),
        ];
      case 'table': {
        const [head, ...rows] = node.children;
        const align = node.align ?? [];
        const row = (of: Parents, tag: 'th' | 'td'): Part => {
          count(depth);
          return ['tr', {}, cells(of, tag, align, depth + 2)];
        };
        return [
          [
            'table',
            linesOf(node),
            [
              ['thead', {}, head === undefined ? [] : [row(head, 'th')]],
              ['tbody', {}, rows.map((each) => row(each, 'td'))],
            ],
          ],
        ];
      }
      default:
        return [];
    }
  }

  return partsOf(root, 0);
}

const startOf = (start: number | null | undefined): Attributes =>
  start == null || start === 1 ? {} : { start };

/** The addresses that a text defines once, for several links. */
function addressesIn(root: Root): Map<string, string> {
  const found = new Map<string, string>();
  const waiting: Nodes[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    // The first one counts, which is found last.
    if (node.type === 'definition') found.set(node.identifier, node.url);
    if ('children' in node) for (const child of node.children) waiting.push(child);
  }
  return found;
}

/** A link that leads nowhere is drawn without an address. */
function addressed(url: string | undefined): Attributes {
  if (url === undefined || url.length > LIMITS.address) return {};
  return /^(?:https?:\/\/|mailto:)/i.test(url) ? { href: url } : {};
}
