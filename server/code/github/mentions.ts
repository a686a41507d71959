/** What is code or quoted in Markdown: a name in it is no mention, as on GitHub. */
const NOT_SAID =
  /^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|(?![\s\S]))|`[^`\n]*`|^ {0,3}>[^\n]*$/gm;

/** Whether a text in Markdown mentions the App of this name. */
export function mentions(text: string, slug: string): boolean {
  const said = text.replaceAll('\r\n', '\n').replaceAll(NOT_SAID, ' ').toLowerCase();
  const name = `@${slug.toLowerCase()}`;
  for (let at = said.indexOf(name); at !== -1; at = said.indexOf(name, at + 1)) {
    const before = said[at - 1] ?? ' ';
    const after = said.slice(at + name.length);
    if (!/[\w@/-]/.test(before) && /^(?:\[bot\])?(?![\w-])/.test(after)) return true;
  }
  return false;
}
