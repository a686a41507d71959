import type { ReactNode } from 'react';
import { Outline } from './icons.tsx';
import { PageIcon, type PageIconName } from './page-icon.tsx';

/** The icons that a workspace may be recognized by: loaded when one is shown, or chosen. */
const OUTLINES: Readonly<Record<string, string>> = {
  building: 'M3.5 14V2.5h6V14M9.5 6h3v8M2 14h12M6.5 5.5h.01M6.5 8.5h.01M6.5 11.5h.01',
  cart: 'M1.5 2.5h2l1.5 8h7l1.5-6H4M6 13.5h.01M11.5 13.5h.01',
  truck:
    'M1.5 3.5h8v8h-8zM9.5 6.5h3l2 2.5v2.5h-5M4.5 13.5a1 1 0 1 0 0-2 1 1 0 0 0 0 2zM11.5 13.5a1 1 0 1 0 0-2 1 1 0 0 0 0 2z',
  book: 'M8 4c-1.5-1-3.5-1.2-5.5-1v9.5c2-.2 4 0 5.5 1 1.5-1 3.5-1.2 5.5-1V3c-2-.2-4 0-5.5 1zM8 4v9.5',
  cube: 'M8 1.5 14 5v6l-6 3.5L2 11V5zM2 5l6 3.5L14 5M8 8.5v6',
  flask: 'M6.5 1.5h3M7 1.5V6L3 13.5h10L9 6V1.5M5 10h6',
  bolt: 'M9 1.5 3.5 9H7l-.5 5.5L12.5 7H8.5z',
  leaf: 'M13.5 2.5C6 2.5 3 5.5 3 9.5c0 2 1.2 3.5 3.5 3.5 4.5 0 7-4 7-10.5zM2.5 14.5c1-4 3.5-6.5 6.5-8',
  heart:
    'M8 13.5C3 10 2 8 2 5.8A2.8 2.8 0 0 1 4.8 3C6.2 3 7.3 3.8 8 5c.7-1.2 1.8-2 3.2-2A2.8 2.8 0 0 1 14 5.8C14 8 13 10 8 13.5z',
  star: 'M8 1.5 10 6l4.5.5-3.3 3.2.8 4.8-4-2.4-4 2.4.8-4.8L1.5 6.5 6 6z',
};

const SHARED: readonly PageIconName[] = ['rocket', 'tool', 'globe'];

export const WORKSPACE_ICONS: readonly string[] = [...Object.keys(OUTLINES), ...SHARED];

/** An icon by its name; of a name that is not among them, `other`. */
export function WorkspaceIcon({
  name,
  size = 16,
  other,
}: {
  name: string;
  size?: number;
  other: ReactNode;
}): ReactNode {
  const shared = SHARED.find((one) => one === name);
  if (shared !== undefined) return <PageIcon name={shared} size={size} />;
  if (!Object.hasOwn(OUTLINES, name)) return other;
  return <Outline d={OUTLINES[name] ?? ''} size={size} />;
}
