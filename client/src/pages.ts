import type { Answer } from './call.ts';
import type { Arguments } from './request.ts';

/** A part of a list, and the arguments of the next part, if there is one. */
export interface Page<Item, Args = Arguments> {
  items: Item[];
  next: Args | undefined;
}

/** Reads one page. */
type ReadPage<Item, Args> = (args: Args) => Promise<Page<Item, Args>>;

/** A list, read page by page as it is needed. It can be read again, and then is read anew. */
export class List<Item, Args = Arguments> implements AsyncIterable<Item> {
  readonly #read: ReadPage<Item, Args>;
  readonly #first: Args;

  constructor(read: ReadPage<Item, Args>, first: Args) {
    this.#read = read;
    this.#first = first;
  }

  /** Its items, one after the other. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const items of this.pages()) yield* items;
  }

  /** Its items, a page at a time. */
  async *pages(): AsyncGenerator<Item[], void, undefined> {
    let args: Args | undefined = this.#first;
    while (args !== undefined) {
      const page: Page<Item, Args> = await this.#read(args);
      yield page.items;
      args = page.next;
    }
  }

  /** All of it at once. */
  async all(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const page of this.pages()) items.push(...page);
    return items;
  }
}

/** The page that an answer is: the next one is where its `Link` says. */
export function pageOf({ data, headers }: Answer<unknown>, args: Arguments): Page<unknown> {
  const next = /<([^>]+)>\s*;\s*rel="?next"?/.exec(headers.get('link') ?? '')?.[1];
  return { items: data as unknown[], next: next === undefined ? undefined : after(next, args) };
}

/** The arguments with those of this address; what is the same keeps its type. */
function after(address: string, args: Arguments): Arguments {
  const query = new URLSearchParams(address.slice(address.indexOf('?')));
  const changed = [...query].filter(([name, value]) => String(args[name]) !== value);
  return { ...args, ...Object.fromEntries(changed) };
}
