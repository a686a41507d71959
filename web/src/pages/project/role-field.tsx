import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { guildhall } from '../../data/api.ts';
import { SelectField } from '../../ui/form.tsx';

const BUILT_IN = [
  { value: 'admin', label: 'Admin' },
  { value: 'member', label: 'Member' },
  { value: 'viewer', label: 'Viewer' },
];

type Choice = { role: 'admin' | 'member' | 'viewer' } | { role_id: string };

/** The part of a body that names the role chosen in a `RoleField`. */
export function roleOf(value: string): Choice {
  return value === 'admin' || value === 'member' || value === 'viewer'
    ? { role: value }
    : { role_id: value };
}

/** The roles of a workspace; a personal project has no custom ones. */
export const rolesQuery = (org_id: string | undefined) =>
  queryOptions({
    queryKey: ['workspace', org_id, 'roles'],
    queryFn: ({ signal }) =>
      org_id === undefined
        ? []
        : guildhall.get('/api/organizations/{org_id}/roles', { org_id }, { signal }),
  });

/** The roles that a person can have on a project: built-in ones, and those of its workspace. */
export function RoleField({
  orgId,
  current,
  hint,
}: {
  orgId: string | undefined;
  /** The slug of the present role. */
  current?: string | undefined;
  hint?: ReactNode;
}): ReactNode {
  const roles = useQuery(rolesQuery(orgId));
  // Who may not list the roles of the workspace has the built-in ones.
  const custom = (roles.data ?? []).filter(
    ({ scope, is_custom }) => scope === 'project' && is_custom,
  );
  if (roles.isPending) return null;
  return (
    <SelectField
      name="role"
      label="Role"
      hint={hint}
      defaultValue={custom.find(({ slug }) => slug === current)?.id ?? current ?? 'member'}
      options={[...BUILT_IN, ...custom.map(({ id, name }) => ({ value: id, label: name }))]}
    />
  );
}
