import type { ReactNode } from 'react';

/** A person by name and address; without a name, the address alone. */
export function PersonName({ name, email }: { name?: string; email: string }): ReactNode {
  return (
    <span className="flex min-w-0 flex-col sm:max-w-64">
      <span dir="auto" title={name ?? email} className="truncate font-medium">
        {name ?? email}
      </span>
      {name !== undefined && (
        <span title={email} className="truncate text-xs text-muted">
          {email}
        </span>
      )}
    </span>
  );
}

/** A name with its colour before it: that of a role or a workspace. */
export function ColorName({ name, color }: { name: string; color?: string }): ReactNode {
  return (
    <span className="inline-flex max-w-full items-center gap-1.5">
      <span
        aria-hidden="true"
        className="size-2.5 shrink-0 rounded-full border border-line"
        style={{ backgroundColor: color }}
      />
      <span dir="auto" title={name} className="min-w-0 truncate">
        {name}
      </span>
    </span>
  );
}
