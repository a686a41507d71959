import { common, createLowlight } from 'lowlight';
import { answering } from '../../../ui/thread.ts';
import type { Answered, Asked, Kind, Tokens } from './highlighting.ts';

const low = createLowlight(common);

/** The first part of a name of highlight.js, such as `title` of `title.function`. */
const KINDS: Record<string, Kind> = {
  keyword: 'keyword',
  operator: 'plain',
  literal: 'number',
  number: 'number',
  symbol: 'number',
  bullet: 'number',
  string: 'string',
  regexp: 'string',
  link: 'string',
  code: 'string',
  comment: 'comment',
  quote: 'comment',
  doctag: 'comment',
  title: 'name',
  section: 'name',
  name: 'keyword',
  tag: 'plain',
  'selector-tag': 'keyword',
  'selector-id': 'name',
  'selector-class': 'name',
  built_in: 'name',
  type: 'name',
  attr: 'attribute',
  attribute: 'attribute',
  property: 'attribute',
  variable: 'attribute',
  'template-variable': 'attribute',
  meta: 'attribute',
};

/** Files that are named otherwise than after their language. */
const LANGUAGES: Record<string, string> = {
  mts: 'typescript',
  cts: 'typescript',
  jsonc: 'json',
  po: 'plaintext',
  vue: 'xml',
  cfg: 'ini',
  conf: 'ini',
  gitmodules: 'ini',
  editorconfig: 'ini',
};

function languageOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const ending = name.slice(name.lastIndexOf('.') + 1);
  const language = LANGUAGES[ending] ?? ending;
  return low.registered(language) ? language : undefined;
}

type Node = ReturnType<typeof low.highlight>['children'][number];

function linesOf(nodes: readonly Node[]): Tokens[] {
  const lines: [Kind, string][][] = [[]];
  const add = (kind: Kind, text: string) => {
    text.split('\n').forEach((part, index) => {
      if (index > 0) lines.push([]);
      const line = lines.at(-1);
      const last = line?.at(-1);
      if (part === '') return;
      if (last !== undefined && last[0] === kind) last[1] += part;
      else line?.push([kind, part]);
    });
  };
  const walk = (children: readonly Node[], kind: Kind) => {
    for (const node of children) {
      if (node.type === 'text') add(kind, node.value);
      if (node.type === 'element') walk(node.children as Node[], kindOf(node.properties) ?? kind);
    }
  };
  walk(nodes, 'plain');
  return lines;
}

function kindOf({ className }: { className?: unknown }): Kind | undefined {
  const [name] = Array.isArray(className) ? className : [];
  return KINDS[String(name).replace(/^hljs-/, '')];
}

answering(({ path, texts }: Asked): Answered => {
  const language = languageOf(path);
  if (language === undefined) return undefined;
  return texts.map((text) => linesOf(low.highlight(language, text).children));
});
