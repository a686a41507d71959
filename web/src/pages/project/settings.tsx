import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { configQuery } from '../../data/config.ts';
import { projectInstructionsQuery, projectQuery, refreshProject } from '../../data/project.ts';
import { queries } from '../../data/queries.ts';
import { Together } from '../../shell/together.tsx';
import { Anew } from '../../ui/anew.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyText } from '../../ui/copy-id.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, SelectField, TextField, type Values } from '../../ui/form.tsx';
import { HelpLink } from '../../ui/help-link.tsx';
import { insteadOf } from '../../ui/instead.ts';
import { Instructions } from '../../ui/instructions.tsx';
import { Section } from '../../ui/page.tsx';
import { ChangeOwner } from './change-owner.tsx';
import { DeleteProject } from './delete-project.tsx';
import { Environment } from './environment.tsx';
import { ErpConnections } from './erp-connections.tsx';
import { ErpDump } from './erp-dump.tsx';
import { McpServers } from './mcp-servers.tsx';
import { Network } from './network.tsx';
import { ProjectNotifications } from './notifications.tsx';
import type { Project } from './project.ts';
import { Variables } from './variables.tsx';

/** What a project is called, what its tasks may cost, and its end. */
export function ProjectSettings(): ReactNode {
  const { project: id } = useParams({ from: '/signed-in/projects/$project' });
  const { data: project } = useQuery(projectQuery(id));
  const instructions = useQuery(projectInstructionsQuery(id));
  const [open, setOpen] = useState<'transfer' | 'claim' | 'delete'>();
  const close = () => setOpen(undefined);
  if (project === undefined) return null;
  const may = (action: string) => project.available_actions.includes(action);
  return (
    <>
      <Together>
        <Anew read={project} version={project.updated_at}>
          {(begun, sent) => <General project={begun} may={may('update_project')} sent={sent} />}
        </Anew>
        {may('list_variables') && <Variables projectId={project.id} />}
        <Environment projectId={id} may={may('set_environment')} />
        <Network projectId={id} may={may('set_network')} />
        {may('list_mcp_servers') && <McpServers projectId={id} />}
        <Instructions
          of="project"
          place={id}
          query={instructions}
          may={may('update_project')}
          save={(text, etag) =>
            guildhall.put(
              '/api/projects/{project_id}/instructions',
              { project_id: id, body: { text } },
              etag === undefined ? {} : { ifMatch: etag },
            )
          }
        />
        <ErpConnections project={project} />
        <ErpDump project={project} />
        {may('list_project_webhooks') && (
          <Section title="Webhooks">
            <p className="max-w-prose text-muted">
              What happens in the project can be sent to a program of yours, or to Slack or Discord.{' '}
              <Link
                to="/projects/$project/webhooks"
                params={{ project: id }}
                className="text-link underline"
              >
                See the webhooks
              </Link>
            </p>
          </Section>
        )}
        <ProjectNotifications projectId={id} />
        <Section title="Owner, archive and end">
          {may('claim_project') && (
            <Act what="The workspace of this project was deleted. It needs an owner to go on.">
              <Button look="primary" onClick={() => setOpen('claim')}>
                Claim the project
              </Button>
            </Act>
          )}
          {may('update_project') && <Archive project={project} />}
          {may('transfer_project') && (
            <Act what="Another workspace, or you yourself, can own the project and pay for its tasks.">
              <Button onClick={() => setOpen('transfer')}>Transfer</Button>
            </Act>
          )}
          {may('delete_project') && (
            <Act what="Deleting the project deletes its tasks, plans and files. It cannot be undone.">
              <Button look="danger" onClick={() => setOpen('delete')}>
                Delete the project
              </Button>
            </Act>
          )}
          <p className="text-xs text-muted">
            Id of the project: <CopyText text={id} label="Copy the id" />
          </p>
        </Section>
      </Together>
      {(open === 'transfer' || open === 'claim') && (
        <ChangeOwner project={project} how={open} onClose={close} />
      )}
      {open === 'delete' && <DeleteProject project={project} onClose={close} />}
    </>
  );
}

function Act({ what, children }: { what: string; children: ReactNode }): ReactNode {
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 rounded-box border border-line p-3">
      <p className="max-w-prose text-muted">{what}</p>
      {children}
    </div>
  );
}

function Archive({ project: { id, archived } }: { project: Project }): ReactNode {
  const [failure, setFailure] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  async function change(): Promise<void> {
    setBusy(true);
    setFailure(undefined);
    try {
      await guildhall.put('/api/projects/{project_id}', {
        project_id: id,
        body: { archived: !archived },
      });
      await queries.invalidateQueries({ queryKey: ['projects'] });
      await refreshProject(id);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  }
  return (
    <>
      <Act
        what={
          archived
            ? 'The project is archived: it is left out of lists, and no tasks can be begun.'
            : 'An archived project is left out of lists, and no tasks can be begun. Nothing is lost.'
        }
      >
        <Button busy={busy} onClick={() => void change()}>
          {archived ? 'Take out of the archive' : 'Archive'}
        </Button>
      </Act>
      {failure !== undefined && <Failure error={failure} />}
    </>
  );
}

/** The fields of the form as the project has them. */
const valuesOf = (project: Project): Values => ({
  name: project.name,
  default_model: project.default_model ?? '',
  plan_approval: project.plan_approval,
  direct_push: project.direct_push,
  spend_cap: project.spend_cap ?? '',
});

function General({
  project,
  may,
  sent,
}: {
  project: Project;
  may: boolean;
  sent: () => void;
}): ReactNode {
  const config = useQuery(configQuery);
  if (insteadOf(config))
    return <Failure error={config.error} retry={() => void config.refetch()} />;
  if (config.data === undefined) return null;
  const { models } = config.data;
  const before = valuesOf(project);
  return (
    <Section title="General">
      <fieldset disabled={!may} className="contents">
        <Form
          submit="Save"
          disabled={!may}
          onSubmit={async (values) => {
            // Only what was changed here, so that a change by another person is kept.
            const changed = Object.fromEntries(
              Object.entries(values)
                .filter(([name, value]) => value.trim() !== before[name])
                .map(([name, value]) => [name, emptied(name, value.trim())]),
            );
            await guildhall.put('/api/projects/{project_id}', {
              project_id: project.id,
              body: changed,
            });
            sent();
            await queries.invalidateQueries({ queryKey: ['projects'] });
            await refreshProject(project.id);
          }}
        >
          <TextField name="name" label="Name" defaultValue={project.name} dir="auto" required />
          <SelectField
            name="default_model"
            label="Model of new tasks"
            defaultValue={project.default_model ?? ''}
            options={[
              { value: '', label: 'That of the server' },
              ...models.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
          <SelectField
            name="plan_approval"
            label="Plans"
            defaultValue={project.plan_approval}
            options={[
              { value: 'required', label: 'A person approves each plan' },
              { value: 'automatic', label: 'The agent builds without approval' },
            ]}
          />
          <SelectField
            name="direct_push"
            label="Pushes to branches that are not of tasks"
            defaultValue={project.direct_push}
            options={[
              { value: 'nobody', label: 'Nobody: tasks are merged' },
              { value: 'admins', label: 'Admins of the project; each push is recorded' },
            ]}
          />
          <TextField
            name="spend_cap"
            label="Spending cap of the project in USD"
            inputMode="decimal"
            defaultValue={project.spend_cap ?? ''}
            hint={
              <>
                Tasks pause before all tasks of the project together would cost more. Empty: no cap.{' '}
                <HelpLink topic="caps-and-limits">How caps work</HelpLink>
              </>
            }
          />
        </Form>
      </fieldset>
      {!may && <p className="text-muted">Admins of the project can change its settings.</p>}
    </Section>
  );
}

const emptied = (name: string, value: string): string | null =>
  value === '' && (name === 'default_model' || name === 'spend_cap') ? null : value;
