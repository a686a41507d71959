import type { ReactNode } from 'react';
import { Icon, type IconName, Outline } from './icons.tsx';

/** The icons beyond those that the first page loads. */
const OUTLINES = {
  branch: 'M5 3v10M5 9c4 0 6-1 6-4M5 2.5h.01M5 13.5h.01M11 4.5h.01',
  card: 'M1.5 3.5h13v9h-13zM1.5 6.5h13M4 10h2.5',
  chart: 'M2.5 2v11.5H14M5.5 11V8M8.5 11V4.5M11.5 11V6.5',
  globe: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM2 8h12M8 2c-4 4-4 8 0 12M8 2c4 4 4 8 0 12',
  key: 'M9 7a3 3 0 1 0-2 2l1 1h2v2h2v2h2v-2.5L9 7z',
  list: 'M5.5 4H14M5.5 8H14M5.5 12H14M2.5 4h.01M2.5 8h.01M2.5 12h.01',
  people:
    'M6 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5c0-3 2-4 4.5-4s4.5 1 4.5 4M11 3.2a2.5 2.5 0 0 1 0 4.6M12 9.7c1.6.5 2.5 1.7 2.5 3.8',
  rocket:
    'M8 1.5c2.5 2 3.5 4.5 3.5 8l-1.5 2H6l-1.5-2c0-3.5 1-6 3.5-8zM8 6.5h.01M4.5 8.5l-2 2v2l2.5-.8M11.5 8.5l2 2v2l-2.5-.8M8 13v1.5',
  settings: 'M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7M10.5 3v3M5.5 10v3',
  shield: 'M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4z',
  tool: 'M10 2.5a3.5 3.5 0 0 0-3 5L2.5 12 4 13.5 8.5 9a3.5 3.5 0 0 0 5-3L11 7.5 8.5 5z',
} as const;

export type PageIconName = IconName | keyof typeof OUTLINES;

const isOwn = (name: PageIconName): name is keyof typeof OUTLINES => Object.hasOwn(OUTLINES, name);

export function PageIcon({ name, size = 16 }: { name: PageIconName; size?: number }): ReactNode {
  return isOwn(name) ? (
    <Outline d={OUTLINES[name]} size={size} />
  ) : (
    <Icon name={name} size={size} />
  );
}
