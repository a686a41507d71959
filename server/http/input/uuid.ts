const SIMPLE = /^[0-9a-f]{32}$/;
const HYPHENATED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const URN = 'urn:uuid:';
const GROUP_STARTS = [0, 9, 14, 19, 24] as const;
const GROUP_LENGTHS = [8, 4, 4, 4, 12] as const;

function inBraces(text: string): boolean {
  return text.length >= 2 && text.startsWith('{') && text.endsWith('}');
}

/**
 * The text without the wrapping that the parser removes: `{}` or `urn:uuid:` around 36 bytes.
 */
function unwrap(text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes === 38 && inBraces(text)) return text.slice(1, -1);
  if (bytes === 45 && text.startsWith(URN)) return text.slice(URN.length);
  return text;
}

/** The error of the Rust crate `uuid` (`InvalidUuid::into_err`), which Pydantic v2 passes on. */
function explain(text: string): string {
  const braced = inBraces(text);
  const urn = text.startsWith(URN);
  const inner = braced ? text.slice(1, -1) : urn ? text.slice(URN.length) : text;

  // Everything before the first invalid character is ASCII, so its index counts bytes as well.
  const invalidAt = inner.search(/[^0-9a-fA-F-]/u);
  if (invalidAt >= 0) {
    const found = String.fromCodePoint(inner.codePointAt(invalidAt) ?? 0);
    const offset = braced ? 1 : urn ? URN.length : 0;
    return `invalid character: found \`${found}\` at ${invalidAt + offset + 1}`;
  }
  const groups = inner.split('-');
  if (groups.length === 1 && inner === text) {
    return `invalid length: expected length 32 for simple format, found ${text.length}`;
  }
  if (groups.length !== 5) return `invalid group count: expected 5, found ${groups.length}`;

  const wrong = groups.findIndex((group, i) => i < 4 && group.length !== GROUP_LENGTHS[i]);
  if (wrong >= 0) return groupLength(wrong, groups[wrong]?.length ?? 0);
  // The crate measures the last group over the whole input, wrapping included.
  return groupLength(4, text.length - GROUP_STARTS[4]);
}

function groupLength(group: number, found: number): string {
  return `invalid group length in group ${group}: expected ${GROUP_LENGTHS[group]}, found ${found}`;
}

/**
 * Reads a UUID in any spelling of ruling 1.7: with or without dashes, in braces or as a URN, in
 * either case.
 * @returns lower case with dashes, or the error text of the Rust crate `uuid`, which Pydantic v2
 *   shows
 */
export function parseUuid(text: string): { ok: true; uuid: string } | { ok: false; error: string } {
  const inner = unwrap(text);
  const lower = inner.toLowerCase();
  if (HYPHENATED.test(lower)) return { ok: true, uuid: lower };
  if (inner === text && SIMPLE.test(lower)) {
    return { ok: true, uuid: lower.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') };
  }
  return { ok: false, error: explain(inner) };
}
