import type { ReactNode } from 'react';
import { CONTROL, OwnField } from '../../ui/form.tsx';
import { type Choice, PersonPicker } from './person-picker.tsx';

/** A field of a form that finds a member; its value is the id. */
export function PersonField({
  label,
  name,
  ...choice
}: Choice & { label: string; name: string }): ReactNode {
  return (
    <OwnField name={name} label={label}>
      {(id) => <PersonPicker {...choice} id={id} name={name} className={CONTROL} />}
    </OwnField>
  );
}
