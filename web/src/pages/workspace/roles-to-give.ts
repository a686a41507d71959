import type { components } from '@guildhall/client';

export type Role = components['schemas']['Role'];

/** The roles that a person can be given in a workspace, as the options of a field. */
export const assignable = (roles: readonly Role[]): { value: string; label: string }[] =>
  roles
    .filter(({ scope, acts_as }) => scope === 'workspace' && acts_as !== 'owner')
    .map(({ id, name }) => ({ value: id, label: name }));
