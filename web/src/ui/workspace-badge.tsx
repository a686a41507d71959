import { type ReactNode, Suspense } from 'react';
import { lazily } from './lazily.ts';

const WorkspaceIcon = lazily(async () => (await import('./workspace-icon.tsx')).WorkspaceIcon);

/** What a workspace is recognized by: its icon on its colour, or else the first letter of its name. */
export function WorkspaceBadge({
  name,
  color,
  icon,
}: {
  name: string;
  color?: string | undefined;
  icon?: string | undefined;
}): ReactNode {
  const [letter = ''] = name;
  return (
    <span
      aria-hidden="true"
      className={`inline-flex size-5 shrink-0 items-center justify-center rounded-box text-xs font-semibold uppercase ${color === undefined ? 'bg-tint text-link' : ''}`}
      style={color === undefined ? {} : { backgroundColor: color, color: onColor(color) }}
    >
      {icon === undefined ? (
        letter
      ) : (
        <Suspense fallback={letter}>
          <WorkspaceIcon name={icon} size={12} other={letter} />
        </Suspense>
      )}
    </span>
  );
}

/** Black or white, whichever has more contrast on a colour such as #3355AA. */
function onColor(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff';
}
