import type { ReactNode } from 'react';

/** The product's mark: the stepped gable of a guildhall, with its door. As in public/icon.svg. */
function Mark({ size = 20 }: { size?: number }): ReactNode {
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 32 32" className="shrink-0">
      <rect width="32" height="32" rx="7" className="fill-accent" />
      <path
        className="fill-on-accent"
        d="M7 26V16h3v-4h3V8h2V5h2v3h2v4h3v4h3v10h-6v-4a3 3 0 0 0-6 0v4z"
      />
    </svg>
  );
}

/** The mark with the product's name. */
export function Wordmark({ size = 20 }: { size?: number }): ReactNode {
  return (
    <span className="inline-flex items-center gap-2 font-semibold tracking-tight">
      <Mark size={size} />
      Guildhall
    </span>
  );
}
