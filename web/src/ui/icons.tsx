import type { ReactNode } from 'react';

/** The outlines of the dashboard's icons, on a grid of 16. An icon always stands beside a word. */
const PATHS = {
  arrow: 'M3 8h10M9 4l4 4-4 4',
  board: 'M2 3h3v10H2zM6.5 3h3v6h-3zM11 3h3v8h-3z',
  check: 'M3 8.5 6.5 12 13 4.5',
  chevron: 'M6 4l4 4-4 4',
  clock: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3.5l2 1.5',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M6 6h7v7H6zM3 10V3h7',
  dots: 'M3 8h.01M8 8h.01M13 8h.01',
  file: 'M4 2h5l3 3v9H4zM9 2v3h3',
  folder: 'M2 4h4l1.5 2H14v7H2z',
  home: 'M2.5 7.5 8 3l5.5 4.5M4 7v6h8V7',
  leave: 'M6.5 2.5h-4v11h4M6.5 8H14M11 5l3 3-3 3',
  menu: 'M2 4h12M2 8h12M2 12h12',
  merge: 'M4.5 3v10M4.5 4c0 4 3 5 7 5M4.5 2.5h.01M4.5 13.5h.01M11.5 9h.01',
  message: 'M2 3h12v8H7l-3 3v-3H2z',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  plus: 'M8 3v10M3 8h10',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5 14 14',
  spark: 'M8 2v12M2 8h12M4 4l8 8M12 4l-8 8',
  sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1',
  warning: 'M8 2 14.5 13.5h-13zM8 6.5v3.5M8 11.8h.01',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }): ReactNode {
  return <Outline d={PATHS[name]} size={size} />;
}

/** An outline on the same grid, drawn as all icons are. */
export function Outline({ d, size }: { d: string; size: number }): ReactNode {
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
      <path d={d} />
    </svg>
  );
}
