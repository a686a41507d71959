import { GuildhallError } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { refreshWorkspace, rolesQuery } from '../../data/workspace.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, SelectField, TextField } from '../../ui/form.tsx';
import { HelpLink } from '../../ui/help-link.tsx';
import { ColorField } from '../../ui/look-fields.tsx';
import { ActsMenu } from '../../ui/menu.tsx';
import { Section } from '../../ui/page.tsx';
import { ColorName } from '../../ui/people.tsx';
import { Table } from '../../ui/table.tsx';
import type { Role } from './roles-to-give.ts';
import { useWorkspace } from './use-workspace.ts';

type Open = { act: 'edit'; role?: Role } | { act: 'delete'; role: Role };

/** The built-in roles, and those that the workspace has made. */
export function Roles(): ReactNode {
  const { id: org, available_actions } = useWorkspace();
  const roles = useQuery(rolesQuery(org));
  const [open, setOpen] = useState<Open>();
  const may = available_actions.includes('create_role');
  const close = () => setOpen(undefined);
  return (
    <Section
      title="Roles"
      actions={
        may && (
          <Button icon="plus" look="primary" onClick={() => setOpen({ act: 'edit' })}>
            New role
          </Button>
        )
      }
    >
      <p className="max-w-prose text-muted">
        A role of your own has a name and a colour, and the rights of the built-in role that it acts
        as. <HelpLink topic="roles">What roles may do</HelpLink>
      </p>
      {roles.error && <Failure error={roles.error} retry={() => void roles.refetch()} />}
      {roles.data && (
        <Table
          label="Roles"
          rows={roles.data}
          keyOf={({ id }) => id}
          columns={[
            {
              heading: 'Role',
              cell: ({ name, color }) => <ColorName name={name} color={color} />,
            },
            {
              heading: 'Rights of',
              cell: ({ acts_as, is_custom }) => (is_custom ? RIGHTS[acts_as] : 'Built-in'),
            },
            {
              heading: 'For',
              wide: true,
              cell: ({ scope }) => (scope === 'workspace' ? 'Workspace' : 'Projects'),
            },
            { heading: 'People', align: 'right', cell: ({ member_count }) => member_count },
            {
              heading: '',
              align: 'right',
              cell: (role) =>
                may &&
                role.is_custom && (
                  <ActsMenu
                    label={`Acts on the role ${role.name}`}
                    acts={[
                      { label: 'Edit', onSelect: () => setOpen({ act: 'edit', role }) },
                      {
                        label: 'Delete',
                        danger: true,
                        onSelect: () => setOpen({ act: 'delete', role }),
                      },
                    ]}
                  />
                ),
            },
          ]}
        />
      )}
      {open?.act === 'edit' && <EditRole org={org} role={open.role} onClose={close} />}
      {open?.act === 'delete' && (
        <DeleteRole org={org} role={open.role} others={roles.data ?? []} onClose={close} />
      )}
    </Section>
  );
}

const RIGHTS = { owner: 'Owner', admin: 'Admin', member: 'Member', viewer: 'Viewer' };

function EditRole({
  org,
  role,
  onClose,
}: {
  org: string;
  role?: Role;
  onClose: () => void;
}): ReactNode {
  return (
    <Dialog title={role === undefined ? 'New role' : 'Edit the role'} onClose={onClose}>
      <Form
        submit={role === undefined ? 'Create the role' : 'Save'}
        onCancel={onClose}
        onSubmit={async ({ name = '', color = '', acts_as, scope }) => {
          const rights = acts_as === 'admin' || acts_as === 'viewer' ? acts_as : 'member';
          const body = { name, color, acts_as: rights } as const;
          if (role === undefined)
            await guildhall.post('/api/organizations/{org_id}/roles', {
              org_id: org,
              body: { ...body, scope: scope === 'project' ? 'project' : 'workspace' },
            });
          else
            await guildhall.put('/api/organizations/{org_id}/roles/{role_id}', {
              org_id: org,
              role_id: role.id,
              body,
            });
          await refreshWorkspace(org);
          onClose();
        }}
      >
        <TextField name="name" label="Name" defaultValue={role?.name} dir="auto" required />
        <ColorField name="color" label="Colour" defaultValue={role?.color} />
        <SelectField
          name="acts_as"
          label="Rights of"
          defaultValue={role?.acts_as ?? 'member'}
          options={(['admin', 'member', 'viewer'] as const).map((value) => ({
            value,
            label: RIGHTS[value],
          }))}
        />
        {role === undefined && (
          <SelectField
            name="scope"
            label="For"
            options={[
              { value: 'workspace', label: 'The workspace' },
              { value: 'project', label: 'Single projects' },
            ]}
          />
        )}
      </Form>
    </Dialog>
  );
}

/** Deletes a role; if it is in use, whoever has it gets another one in the same step. */
function DeleteRole({
  org,
  role,
  others,
  onClose,
}: {
  org: string;
  role: Role;
  others: readonly Role[];
  onClose: () => void;
}): ReactNode {
  const [inUse, setInUse] = useState(role.member_count > 0);
  const options = others
    .filter(
      ({ id, scope, acts_as }) => id !== role.id && scope === role.scope && acts_as !== 'owner',
    )
    .map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Dialog title={`Delete the role ${role.name}?`} onClose={onClose}>
      <Form
        submit="Delete the role"
        look="danger"
        onCancel={onClose}
        onSubmit={async ({ replace_with }) => {
          try {
            await guildhall.delete('/api/organizations/{org_id}/roles/{role_id}', {
              org_id: org,
              role_id: role.id,
              ...(replace_with && { replace_with }),
            });
          } catch (error) {
            if (!GuildhallError.is(error, 'role_in_use')) throw error;
            // The role has been given to someone meanwhile: the field for another one appears.
            setInUse(true);
            return;
          }
          await refreshWorkspace(org);
          onClose();
        }}
      >
        {inUse ? (
          <>
            <p>Some people have this role, or were invited with it.</p>
            <SelectField name="replace_with" label="They get instead" options={options} />
          </>
        ) : (
          <p>No member has it. It cannot be restored.</p>
        )}
      </Form>
    </Dialog>
  );
}
