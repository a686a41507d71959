import type { ReactNode } from 'react';

/** Of a year that is being typed, the first digits are a year, too: 2, 20 and 202 of 2026. */
const isTyped = (day: string): boolean => day === '' || day >= '1000';

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
          onChange={({ target: { value } }) => {
            if (isTyped(value)) onChange({ from: value || undefined });
          }}
          className={FIELD}
        />
      </label>
      <label className="flex items-center gap-1.5 text-muted">
        to
        <input
          type="date"
          defaultValue={to ?? ''}
          min={from}
          onChange={({ target: { value } }) => {
            if (isTyped(value)) onChange({ to: value || undefined });
          }}
          className={FIELD}
        />
      </label>
    </>
  );
}
