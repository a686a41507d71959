import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { configQuery } from '../../data/config.ts';
import { SearchField } from '../../ui/search-field.tsx';
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
      <SearchField
        label="Search tasks by title"
        value={q}
        onChange={(text) => onChange({ q: text })}
      />
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
