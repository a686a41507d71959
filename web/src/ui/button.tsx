import { Link, type LinkProps } from '@tanstack/react-router';
import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';

const SHAPE =
  'inline-flex min-h-8 items-center justify-center gap-1.5 rounded-box px-3 py-1 text-sm font-medium whitespace-nowrap';

const LOOKS = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong disabled:bg-raised disabled:text-muted',
  plain:
    'border border-line bg-surface hover:bg-raised disabled:bg-surface disabled:text-muted disabled:hover:bg-surface',
  quiet: 'text-muted hover:bg-raised hover:text-text disabled:hover:bg-transparent',
  danger: 'bg-danger text-on-accent hover:brightness-90 disabled:bg-raised disabled:text-muted',
};

export type Look = keyof typeof LOOKS;

interface Shown {
  look?: Look;
  icon?: IconName;
  children: ReactNode;
}

/**
 * A button. While `busy` it cannot be pressed again, and a screen reader says so. It keeps the focus,
 * which a browser takes from what is disabled: whoever is refused presses it again.
 */
export function Button({
  look = 'plain',
  icon,
  busy = false,
  disabled,
  className = '',
  onClick,
  children,
  ...rest
}: Shown & { busy?: boolean } & ButtonHTMLAttributes<HTMLButtonElement>): ReactNode {
  return (
    <button
      type="button"
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      disabled={disabled}
      // Of a form as well: what is prevented does not send it.
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={`${SHAPE} ${LOOKS[look]} ${className}`}
      {...rest}
    >
      {icon && <Icon name={icon} />}
      {children}
      {busy && <span aria-hidden="true">…</span>}
    </button>
  );
}

/** A link that looks like a button: it leads to another page. */
export function ButtonLink({
  look = 'plain',
  icon,
  children,
  ...to
}: Shown & LinkProps): ReactNode {
  return (
    <Link className={`${SHAPE} ${LOOKS[look]}`} {...to}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  );
}

/** A button with an icon alone; `label` is its name for screen readers and its tooltip. */
export function IconButton({
  icon,
  label,
  className = '',
  ...rest
}: { icon: IconName; label: string } & ButtonHTMLAttributes<HTMLButtonElement>): ReactNode {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`inline-flex size-8 items-center justify-center rounded-box text-muted hover:bg-raised hover:text-text ${className}`}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}
