// The order matters: most browsers also call themselves Chrome, and all of those Safari.
const BROWSERS = [
  [/Edg\w*\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\/|Chromium\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;
const SYSTEMS = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux|X11/, 'Linux'],
] as const;

/** "Firefox on Linux", from what a browser calls itself; its first word for what is no browser. */
export function browserName(userAgent: string | undefined): string {
  if (!userAgent) return 'Unknown browser';
  const find = (names: readonly (readonly [RegExp, string])[]) =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = find(BROWSERS) ?? (userAgent.split(/[\s/]/)[0] as string);
  const system = find(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}
