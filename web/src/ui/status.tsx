import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';

/** The four states of anything that takes time, and none. */
export type State = 'waiting' | 'working' | 'done' | 'wrong' | 'idle';

const LOOKS: Record<State, { icon: IconName; className: string }> = {
  waiting: { icon: 'clock', className: 'bg-waiting-tint text-waiting' },
  working: { icon: 'spark', className: 'bg-working-tint text-working' },
  done: { icon: 'check', className: 'bg-done-tint text-done' },
  wrong: { icon: 'warning', className: 'bg-wrong-tint text-wrong' },
  idle: { icon: 'pause', className: 'bg-raised text-muted' },
};

/** A state: never by its colour alone, always with an icon and a word. */
export function Status({ state, children }: { state: State; children: ReactNode }): ReactNode {
  const { icon, className } = LOOKS[state];
  return (
    <span
      className={`inline-flex items-center gap-1 rounded-box px-1.5 py-0.5 text-xs font-medium whitespace-nowrap ${className}`}
    >
      <Icon name={icon} size={12} />
      <span className="inline-block first-letter:uppercase">{children}</span>
    </span>
  );
}
