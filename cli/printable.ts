const MAX_CELL = 100;

/** A text without anything that a terminal would take for a command, and not too wide. */
export function printable(text: string, width = MAX_CELL): string {
  const characters = Array.from(text.replaceAll(/\p{C}+/gu, ' '));
  const cut = characters.slice(0, width - 1).join('');
  return characters.length <= width ? characters.join('') : `${cut}…`;
}

/** How long something takes or has taken, in its largest unit. */
export function age(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
