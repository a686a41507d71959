import type { components } from '@guildhall/client';
import { guildhall } from './api.ts';
import { queries } from './queries.ts';

type Entry = components['schemas']['InboxEntry'];

const refresh = () => queries.invalidateQueries({ queryKey: ['inbox'] });

/** Leaves what a task has in the inbox out of it, until then or until something new happens. */
export async function setAside({ task_id = '', since }: Entry, until?: Date): Promise<void> {
  await guildhall.put('/api/tasks/{task_id}/inbox', {
    task_id,
    body: { seen: since, ...(until !== undefined && { snoozed_until: until.toISOString() }) },
  });
  await refresh();
}

export async function bringBack({ task_id = '' }: Entry): Promise<void> {
  await guildhall.delete('/api/tasks/{task_id}/inbox', { task_id });
  await refresh();
}

/** The mornings until which something can be set aside. */
export const snoozes = (): { label: string; until: Date }[] =>
  [
    { label: 'Snooze until tomorrow', days: 1 },
    { label: 'Snooze for three days', days: 3 },
    { label: 'Snooze for a week', days: 7 },
  ].map(({ label, days }) => {
    const until = new Date();
    until.setDate(until.getDate() + days);
    until.setHours(8, 0, 0, 0);
    return { label, until };
  });
