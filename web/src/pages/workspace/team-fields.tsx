import type { components } from '@guildhall/client';
import type { ReactNode } from 'react';
import { CheckField, TextField, type Values } from '../../ui/form.tsx';

type Team = components['schemas']['Team'];

/** What a team may do beyond the roles of its members. */
export const RIGHTS = [
  { field: 'can_create_projects', short: 'creates projects', label: 'May create projects' },
  { field: 'can_merge_staging', short: 'merges to staging', label: 'May merge to staging' },
  {
    field: 'can_merge_production',
    short: 'merges to production',
    label: 'May merge to production',
  },
  { field: 'add_to_new_projects', short: 'joins new projects', label: 'Joins every new project' },
] as const;

/** The rights that a form holds. */
export const rightsOf = (values: Values) => ({
  can_create_projects: values.can_create_projects !== undefined,
  can_merge_staging: values.can_merge_staging !== undefined,
  can_merge_production: values.can_merge_production !== undefined,
  add_to_new_projects: values.add_to_new_projects !== undefined,
});

/** The name and the rights of a team. */
export function TeamFields({ team }: { team?: Team }): ReactNode {
  return (
    <>
      <TextField
        name="name"
        label="Name"
        defaultValue={team?.name}
        dir="auto"
        autoComplete="off"
        required
      />
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1 font-medium">Rights</legend>
        {RIGHTS.map(({ field, label }) => (
          <CheckField key={field} name={field} label={label} defaultChecked={team?.[field]} />
        ))}
      </fieldset>
    </>
  );
}
