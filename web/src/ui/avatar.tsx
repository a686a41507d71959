import type { ReactNode } from 'react';

const COLORS = [
  'bg-person-1',
  'bg-person-2',
  'bg-person-3',
  'bg-person-4',
  'bg-person-5',
  'bg-person-6',
];

/** The first letters of the first and the last word of a name, or of an address. */
function initialsOf(name: string): string {
  const words = name
    .replace(/@.*/, '')
    .split(/[\s._-]+/u)
    .filter(Boolean);
  const first = [...(words[0] ?? '?')][0] ?? '?';
  const last = words.length > 1 ? ([...(words.at(-1) ?? '')][0] ?? '') : '';
  return (first + last).toUpperCase();
}

/** The same person has the same colour everywhere. It says nothing alone: the name stands beside it. */
function colorOf(id: string): string {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + character.charCodeAt(0)) % 997;
  return COLORS[sum % COLORS.length] as string;
}

/** The initials of a person, beside their name. */
export function Avatar({ id, name }: { id: string; name: string }): ReactNode {
  return (
    <span
      aria-hidden="true"
      className={`inline-flex size-6 shrink-0 items-center justify-center rounded-full text-[0.6875rem] font-semibold text-text ${colorOf(id)}`}
    >
      {initialsOf(name)}
    </span>
  );
}
