import type { ReactNode } from 'react';

/** The outlines of the dashboard's icons, on a grid of 16. An icon always stands beside a word. */
const PATHS = {
  arrow: 'M3 8h10M9 4l4 4-4 4',
  bell: 'M4 11V7a4 4 0 0 1 8 0v4l1 1H3zM7 14h2',
  board: 'M2 3h3v10H2zM6.5 3h3v6h-3zM11 3h3v8h-3z',
  bolt: 'M9 1.5 3.5 9H7l-.5 5.5L12.5 7H8.5z',
  book: 'M8 4c-1.5-1-3.5-1.2-5.5-1v9.5c2-.2 4 0 5.5 1 1.5-1 3.5-1.2 5.5-1V3c-2-.2-4 0-5.5 1zM8 4v9.5',
  branch: 'M5 3v10M5 9c4 0 6-1 6-4M5 2.5h.01M5 13.5h.01M11 4.5h.01',
  building: 'M3.5 14V2.5h6V14M9.5 6h3v8M2 14h12M6.5 5.5h.01M6.5 8.5h.01M6.5 11.5h.01',
  card: 'M1.5 3.5h13v9h-13zM1.5 6.5h13M4 10h2.5',
  cart: 'M1.5 2.5h2l1.5 8h7l1.5-6H4M6 13.5h.01M11.5 13.5h.01',
  chart: 'M2.5 2v11.5H14M5.5 11V8M8.5 11V4.5M11.5 11V6.5',
  check: 'M3 8.5 6.5 12 13 4.5',
  chevron: 'M6 4l4 4-4 4',
  clock: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3.5l2 1.5',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M6 6h7v7H6zM3 10V3h7',
  cross: 'M4 4l8 8M12 4l-8 8',
  cube: 'M8 1.5 14 5v6l-6 3.5L2 11V5zM2 5l6 3.5L14 5M8 8.5v6',
  dots: 'M3 8h.01M8 8h.01M13 8h.01',
  file: 'M4 2h5l3 3v9H4zM9 2v3h3',
  flask: 'M6.5 1.5h3M7 1.5V6L3 13.5h10L9 6V1.5M5 10h6',
  folder: 'M2 4h4l1.5 2H14v7H2z',
  globe: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM2 8h12M8 2c-4 4-4 8 0 12M8 2c4 4 4 8 0 12',
  heart:
    'M8 13.5C3 10 2 8 2 5.8A2.8 2.8 0 0 1 4.8 3C6.2 3 7.3 3.8 8 5c.7-1.2 1.8-2 3.2-2A2.8 2.8 0 0 1 14 5.8C14 8 13 10 8 13.5z',
  history: 'M2.5 8A5.5 5.5 0 1 0 4 4.2L2.5 5.5M2.5 2.5v3h3M8 5v3.5l2 1.5',
  home: 'M2.5 7.5 8 3l5.5 4.5M4 7v6h8V7',
  key: 'M9 7a3 3 0 1 0-2 2l1 1h2v2h2v2h2v-2.5L9 7z',
  leaf: 'M13.5 2.5C6 2.5 3 5.5 3 9.5c0 2 1.2 3.5 3.5 3.5 4.5 0 7-4 7-10.5zM2.5 14.5c1-4 3.5-6.5 6.5-8',
  leave: 'M6.5 2.5h-4v11h4M6.5 8H14M11 5l3 3-3 3',
  list: 'M5.5 4H14M5.5 8H14M5.5 12H14M2.5 4h.01M2.5 8h.01M2.5 12h.01',
  lock: 'M4 7h8v6H4zM5.5 7V5a2.5 2.5 0 0 1 5 0v2',
  menu: 'M2 4h12M2 8h12M2 12h12',
  merge: 'M4.5 3v10M4.5 4c0 4 3 5 7 5M4.5 2.5h.01M4.5 13.5h.01M11.5 9h.01',
  message: 'M2 3h12v8H7l-3 3v-3H2z',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  people:
    'M6 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5c0-3 2-4 4.5-4s4.5 1 4.5 4M11 3.2a2.5 2.5 0 0 1 0 4.6M12 9.7c1.6.5 2.5 1.7 2.5 3.8',
  plus: 'M8 3v10M3 8h10',
  rocket:
    'M8 1.5c2.5 2 3.5 4.5 3.5 8l-1.5 2H6l-1.5-2c0-3.5 1-6 3.5-8zM8 6.5h.01M4.5 8.5l-2 2v2l2.5-.8M11.5 8.5l2 2v2l-2.5-.8M8 13v1.5',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5 14 14',
  settings: 'M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7M10.5 3v3M5.5 10v3',
  shield: 'M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4z',
  spark: 'M8 2v12M2 8h12M4 4l8 8M12 4l-8 8',
  star: 'M8 1.5 10 6l4.5.5-3.3 3.2.8 4.8-4-2.4-4 2.4.8-4.8L1.5 6.5 6 6z',
  sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1',
  tool: 'M10 2.5a3.5 3.5 0 0 0-3 5L2.5 12 4 13.5 8.5 9a3.5 3.5 0 0 0 5-3L11 7.5 8.5 5z',
  truck:
    'M1.5 3.5h8v8h-8zM9.5 6.5h3l2 2.5v2.5h-5M4.5 13.5a1 1 0 1 0 0-2 1 1 0 0 0 0 2zM11.5 13.5a1 1 0 1 0 0-2 1 1 0 0 0 0 2z',
  user: 'M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8zM2.8 14c.3-3 2.4-4 5.2-4s4.9 1 5.2 4',
  warning: 'M8 2 14.5 13.5h-13zM8 6.5v3.5M8 11.8h.01',
} as const;

export type IconName = keyof typeof PATHS;

export const isIcon = (name: string): name is IconName => Object.hasOwn(PATHS, name);

export function Icon({ name, size = 16 }: { name: IconName; size?: number }): ReactNode {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      className="shrink-0"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
