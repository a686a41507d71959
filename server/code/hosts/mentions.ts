/** What is code or quoted in Markdown: a name in it is no mention, as on the hosts themselves. */
const NOT_SAID =
  /^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|(?![\s\S]))|`[^`\n]*`|^ {0,3}>[^\n]*$/gm;

/** Whether a text in Markdown mentions the App or the account of this name. */
export function mentions(text: string, name: string): boolean {
  const said = text.replaceAll('\r\n', '\n').replaceAll(NOT_SAID, ' ').toLowerCase();
  const called = `@${name.toLowerCase()}`;
  for (let at = said.indexOf(called); at !== -1; at = said.indexOf(called, at + 1)) {
    const before = said[at - 1] ?? ' ';
    const after = said.slice(at + called.length);
    // Names on Gitea may have dots within.
    if (!/[\w@/-]/.test(before) && /^(?:\[bot\])?(?![\w-]|\.[\w-])/.test(after)) return true;
  }
  return false;
}
