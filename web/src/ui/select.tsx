import type { ReactNode } from 'react';

/** A filter of a list: one of a few values, or none. */
export function Select({
  label,
  value,
  none,
  options = [],
  onChange,
}: {
  label: string;
  value: string | undefined;
  /** What stands there while nothing is chosen. */
  none: string;
  options?: readonly { value: string; label: string }[];
  onChange: (value: string | undefined) => void;
}): ReactNode {
  return (
    <select
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value || undefined)}
      className="max-w-48 rounded-box border border-edge bg-surface px-2 py-1"
    >
      <option value="">{none}</option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}
