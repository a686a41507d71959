import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { projectsQuery } from '../../data/lists.ts';
import { leaveNotice } from '../../data/notice.ts';
import { peopleQuery, projectQuery, refreshProject } from '../../data/project.ts';
import { queries } from '../../data/queries.ts';
import { useUser } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form } from '../../ui/form.tsx';
import { HelpLink } from '../../ui/help-link.tsx';
import { ActsMenu } from '../../ui/menu.tsx';
import { Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Invite, PendingInvitations } from './invitations.tsx';
import { RoleField, roleOf, rolesQuery } from './role-field.tsx';

type Person = components['schemas']['ProjectPerson'];

const SOURCES: Record<Person['source'], string> = {
  org: 'Workspace',
  override: 'Set here',
  collaborator: 'Outside collaborator',
};

const HIDDEN: Record<NonNullable<Person['hidden_reason']>, string> = {
  deactivated: 'Deactivated',
  two_factor_required: 'Needs two factors',
};

type Open = { act: 'invite' } | { act: 'role' | 'remove'; person: Person };

/** Who can open the project, with which role, and where that comes from. */
export function ProjectPeople(): ReactNode {
  const { project: project_id } = useParams({ from: '/signed-in/projects/$project' });
  const project = useQuery(projectQuery(project_id));
  const people = useQuery(peopleQuery(project_id));
  const may = (action: string) => project.data?.available_actions.includes(action) ?? false;
  // Read before a dialog needs it, so that the field is there when the dialog opens.
  useQuery({ ...rolesQuery(project.data?.organization_id), enabled: may('set_person_role') });
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const orgId = project.data?.organization_id;
  return (
    <>
      <Section
        title="People"
        actions={
          may('create_project_invitation') && (
            <Button look="primary" icon="plus" onClick={() => setOpen({ act: 'invite' })}>
              Invite a collaborator
            </Button>
          )
        }
      >
        <p>
          <HelpLink topic="roles">What roles may do</HelpLink>
        </p>
        {people.error && <Failure error={people.error} retry={() => void people.refetch()} />}
        {people.data && (
          <People rows={people.data} maySet={may('set_person_role')} onOpen={setOpen} />
        )}
      </Section>
      {may('list_project_invitations') && <PendingInvitations projectId={project_id} />}
      {open?.act === 'invite' && <Invite projectId={project_id} orgId={orgId} onClose={close} />}
      {open?.act === 'role' && (
        <SetRole projectId={project_id} orgId={orgId} person={open.person} onClose={close} />
      )}
      {open?.act === 'remove' && (
        <Remove projectId={project_id} person={open.person} onClose={close} />
      )}
    </>
  );
}

function People({
  rows,
  maySet,
  onOpen,
}: {
  rows: readonly Person[];
  maySet: boolean;
  onOpen: (open: Open) => void;
}): ReactNode {
  const self = useUser().id;
  return (
    <Table
      label="People"
      rows={rows}
      keyOf={({ user_id }) => user_id}
      columns={[
        { heading: 'Person', cell: (person) => <Who person={person} /> },
        {
          heading: 'Role',
          cell: (person) => {
            if (person.is_active === false)
              return <Status state="idle">{HIDDEN[person.hidden_reason ?? 'deactivated']}</Status>;
            return <span dir="auto">{person.effective_role_name}</span>;
          },
        },
        { heading: 'From', wide: true, cell: ({ source }) => SOURCES[source] },
        {
          heading: '',
          align: 'right',
          cell: (person) => (
            <ActsMenu
              label={`Acts on ${person.name ?? person.email}`}
              acts={
                person.is_owner
                  ? []
                  : [
                      ...(maySet
                        ? [
                            {
                              label: 'Set the role',
                              onSelect: () => onOpen({ act: 'role' as const, person }),
                            },
                          ]
                        : []),
                      // Everyone may give up their own role.
                      ...(person.source === 'org' || !(maySet || person.user_id === self)
                        ? []
                        : [
                            {
                              label:
                                person.source === 'override'
                                  ? 'Take the role back'
                                  : person.user_id === self
                                    ? 'Leave the project'
                                    : 'Remove',
                              danger: true,
                              onSelect: () => onOpen({ act: 'remove' as const, person }),
                            },
                          ]),
                    ]
              }
            />
          ),
        },
      ]}
    />
  );
}

function Who({ person: { name, email, kind, is_owner } }: { person: Person }): ReactNode {
  return (
    <div className="flex min-w-0 flex-col sm:max-w-sm">
      <span dir="auto" title={name ?? email} className="truncate font-medium">
        {name ?? email}
        {is_owner && <span className="font-normal text-muted"> · owner</span>}
        {kind === 'service' && <span className="font-normal text-muted"> · service account</span>}
      </span>
      {name && kind === undefined && (
        <span title={email} className="truncate text-xs text-muted">
          {email}
        </span>
      )}
    </div>
  );
}

interface OfPerson {
  projectId: string;
  person: Person;
  onClose: () => void;
}

function SetRole({
  projectId,
  orgId,
  person,
  onClose,
}: OfPerson & { orgId: string | undefined }): ReactNode {
  return (
    <Dialog title={`Role of ${person.name ?? person.email}`} onClose={onClose}>
      <Form
        submit="Set the role"
        onCancel={onClose}
        onSubmit={async ({ role = '' }) => {
          await guildhall.put('/api/projects/{project_id}/people/{user_id}', {
            project_id: projectId,
            user_id: person.user_id,
            body: roleOf(role),
          });
          await refreshProject(projectId);
          onClose();
        }}
      >
        <RoleField
          orgId={orgId}
          current={person.project_role ?? person.effective_role}
          hint={
            person.is_org_member
              ? `It takes the place of the role in the workspace (${person.org_role_name}) on this project.`
              : undefined
          }
        />
      </Form>
    </Dialog>
  );
}

function Remove({ projectId, person, onClose }: OfPerson): ReactNode {
  const override = person.source === 'override';
  const leaving = useUser().id === person.user_id && !override;
  const project = useQuery(projectQuery(projectId));
  const navigate = useNavigate();
  const name = person.name ?? person.email;
  const words = override
    ? {
        title: `Take the role of ${name} back?`,
        submit: 'Take the role back',
        what: `They act with their role in the workspace again: ${person.org_role_name}.`,
      }
    : leaving
      ? {
          title: 'Leave this project?',
          submit: 'Leave the project',
          what: 'You can no longer open the project. To return, you need an invitation. What you have written stays.',
        }
      : {
          title: `Remove ${name}?`,
          submit: 'Remove',
          what: 'They can no longer open the project. What they have written stays.',
        };
  return (
    <Confirm
      title={words.title}
      submit={words.submit}
      act={async () => {
        await guildhall.delete('/api/projects/{project_id}/people/{user_id}', {
          project_id: projectId,
          user_id: person.user_id,
        });
        if (!leaving) return refreshProject(projectId);
        // Home asks for nothing of a project that is gone for this person.
        queries.setQueryData(projectsQuery.queryKey, (projects) =>
          projects?.filter(({ id }) => id !== projectId),
        );
        leaveNotice(`You have left ${project.data?.name ?? 'the project'}.`);
        await navigate({ to: '/', search: {} });
        // Nothing of it is kept, or read again.
        queries.removeQueries({ queryKey: ['project', projectId] });
        await Promise.all(
          ['projects', 'inbox'].map((key) => queries.invalidateQueries({ queryKey: [key] })),
        );
      }}
      onClose={onClose}
    >
      <p>{words.what}</p>
    </Confirm>
  );
}
