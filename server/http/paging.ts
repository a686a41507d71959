import Type from 'typebox';
import { fieldError } from './errors.ts';
import { integer, text } from './input/fields.ts';

/** The most entries of a page. */
export const LONGEST_PAGE = 200;

/** Opt-in paging (ruling 1.13): without `limit` a list is complete. */
export const paging = {
  limit: Type.Optional(
    integer({
      minimum: 1,
      maximum: LONGEST_PAGE,
      description: 'The number of entries in a page; without it, the list is complete.',
    }),
  ),
  cursor: Type.Optional(
    text({
      minLength: 1,
      maxLength: 2000,
      description: 'Where the page begins, from the `Link` of the previous page.',
    }),
  ),
};

/** Paging of a list that may grow without bound: it is never answered whole. */
export const pages = {
  limit: integer({
    minimum: 1,
    maximum: 200,
    default: 50,
    description: 'The number of entries in a page.',
  }),
  cursor: paging.cursor,
};

/** 422 at ["query","cursor"]. */
export const cursorInvalid = fieldError(
  'cursor_invalid',
  ['query', 'cursor'],
  'Input should be a cursor from the Link header of the previous page',
);

/** The sort key of a page's last row, opaque to callers. */
export const encodeCursor = (key: readonly string[]): string =>
  Buffer.from(JSON.stringify(key)).toString('base64url');

/** What a part of a sort key looks like. */
export type Pattern = Pick<RegExp, 'test'>;

/** Decodes a sort key, one string for each pattern. Errors: 422 cursor_invalid. */
export function decodeCursor(
  cursor: string | undefined,
  patterns: readonly Pattern[],
): string[] | undefined {
  if (cursor === undefined) return undefined;
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    const fits =
      Array.isArray(key) &&
      key.length === patterns.length &&
      patterns.every(
        (pattern, i) =>
          typeof key[i] === 'string' && !key[i].includes('\0') && pattern.test(key[i]),
      );
    if (fits) return key as string[];
  } catch {
    // Not JSON in base64, so it is refused below like any other foreign text.
  }
  throw cursorInvalid();
}

/** `Link` to the next page; relative, so that no host is taken from the request. */
export function nextLink(
  url: string,
  limit: number,
  lastKey: readonly string[],
): Record<string, string> {
  const [path, search] = url.split('?') as [string, string | undefined];
  const query = new URLSearchParams(search);
  query.set('limit', String(limit));
  query.set('cursor', encodeCursor(lastKey));
  return { link: `<${path}?${query}>; rel="next"` };
}
