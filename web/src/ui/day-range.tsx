import type { ReactNode } from 'react';

const FIELD = 'rounded-box border border-edge bg-surface px-2 py-1';

/** The days (UTC) that a list is about, each `YYYY-MM-DD`, or not given. */
export function DayRange({
  from,
  to,
  onChange,
}: {
  from: string | undefined;
  to: string | undefined;
  onChange: (change: { from?: string | undefined; to?: string | undefined }) => void;
}): ReactNode {
  return (
    <>
      <label className="flex items-center gap-1.5 text-muted">
        From
        <input
          type="date"
          defaultValue={from ?? ''}
          max={to}
          onChange={(event) => onChange({ from: event.target.value || undefined })}
          className={FIELD}
        />
      </label>
      <label className="flex items-center gap-1.5 text-muted">
        to
        <input
          type="date"
          defaultValue={to ?? ''}
          min={from}
          onChange={(event) => onChange({ to: event.target.value || undefined })}
          className={FIELD}
        />
      </label>
    </>
  );
}
