/** A page of GitHub's own: what it lists in its order, and whether more follows. */
interface Fetched<Item> {
  items: readonly Item[];
  more: boolean;
}

/** The most that GitHub lists in a page. */
export const GITHUB_PAGE = 100;

/** So that a search in an account with very many repositories ends within the time of a request. */
const MOST_PAGES = 10;

/**
 * Reads the pages of a host from the item at `offset` on, until `limit` items match or ten pages are
 * read. `next` is where the following page begins, if there is more.
 */
export async function scan<Item>(
  fetchPage: (page: number) => Promise<Fetched<Item>>,
  {
    offset,
    limit,
    pageSize = GITHUB_PAGE,
    matches,
  }: { offset: number; limit: number; pageSize?: number; matches(item: Item): boolean },
): Promise<{ found: Item[]; next: number | undefined }> {
  const found: Item[] = [];
  const first = Math.floor(offset / pageSize);
  for (let page = first; ; page++) {
    const { items, more } = await fetchPage(page + 1);
    for (const [i, item] of items.entries()) {
      const place = page * pageSize + i;
      if (place < offset || !matches(item)) continue;
      if (found.length === limit) return { found, next: place };
      found.push(item);
    }
    if (!more) return { found, next: undefined };
    if (page - first + 1 === MOST_PAGES) return { found, next: (page + 1) * pageSize };
  }
}

/** Whether an answer says that another page follows. */
export const hasNext = ({ link }: { link?: string | undefined }): boolean =>
  /rel="next"/.test(link ?? '');
