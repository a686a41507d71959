import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { configQuery } from '../../data/config.ts';
import { Select } from '../../ui/select.tsx';
import { STATES } from '../task/states.ts';

type Status = components['schemas']['Task']['status'];

/** What the address may hold of a list of tasks. */
interface TaskFilter {
  status?: string | undefined;
  model?: string | undefined;
  q?: string | undefined;
}

/** A status of the address; anything else is as if it were not there. */
export const statusOf = (text: string | undefined): Status | undefined =>
  text !== undefined && text in STATES ? (text as Status) : undefined;

/** The filters that every list of tasks has. */
export function TaskFilters({
  filter: { status, model, q },
  onChange,
  children,
}: {
  filter: TaskFilter;
  onChange: (change: TaskFilter) => void;
  /** Those of this list alone. */
  children: ReactNode;
}): ReactNode {
  const config = useQuery(configQuery);
  return (
    <search className="flex flex-wrap items-center gap-2">
      <SearchField q={q} onChange={(text) => onChange({ q: text || undefined })} />
      <Select
        label="Only this status"
        value={status}
        none="Every status"
        options={Object.entries(STATES).map(([value, { word }]) => ({ value, label: word }))}
        onChange={(value) => onChange({ status: value })}
      />
      {children}
      <Select
        label="Only this model"
        value={model}
        none="Every model"
        options={(config.data?.models ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(value) => onChange({ model: value })}
      />
    </search>
  );
}

/** How long a person pauses before what they have typed is looked for. */
const PAUSE_MS = 250;

/** What is typed stands in the address, and is looked for, once the person has paused. */
function SearchField({
  q = '',
  onChange,
}: {
  q: string | undefined;
  onChange: (text: string) => void;
}): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  /** Words of this field that the address does not hold yet, the oldest first. */
  const sent = useRef<string[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  // A view, or a step back, has other words. What comes from this field comes back to it late, and
  // without its last space: what is being typed is not taken away.
  useLayoutEffect(() => {
    const at = sent.current.lastIndexOf(q);
    sent.current = at < 0 ? [] : sent.current.slice(at + 1);
    if (at < 0 && timer.current === undefined && input.current !== null) input.current.value = q;
  }, [q]);
  const look = (text: string) => {
    clearTimeout(timer.current);
    timer.current = undefined;
    const words = text.trim();
    if (words !== (sent.current.at(-1) ?? q)) sent.current.push(words);
    latest.current(words);
  };
  return (
    <input
      ref={input}
      type="search"
      aria-label="Search tasks by title"
      placeholder="Search"
      defaultValue={q}
      maxLength={200}
      onChange={({ target: { value } }) => {
        clearTimeout(timer.current);
        timer.current = setTimeout(() => look(value), PAUSE_MS);
      }}
      onKeyDown={({ key, currentTarget: { value } }) => {
        if (key === 'Enter') look(value);
      }}
      className="w-40 rounded-box border border-edge bg-surface px-2.5 py-1 placeholder:text-muted"
    />
  );
}
