import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { useDraft } from '../../data/drafts.ts';
import { projectsQuery } from '../../data/lists.ts';
import { projectQuery } from '../../data/project.ts';
import { queries } from '../../data/queries.ts';
import { useUploads } from '../../data/uploads.ts';
import { Empty } from '../../ui/page.tsx';
import { ComposerField } from '../task/composer-field.tsx';
import { useModels } from '../task/models.ts';
import { NoFunds } from './no-funds.tsx';

/** Begins a task: its first message starts the agent's planning. Without `projectId` it asks for one. */
export function NewTask({
  projectId,
  first,
}: {
  projectId?: string;
  /** The project that is proposed, where it asks for one. */
  first?: string | undefined;
}): ReactNode {
  const open = useOpenProjects(projectId === undefined);
  const [chosen, choose] = useState(first);
  const id = projectId ?? (open?.find((project) => project.id === chosen) ?? open?.[0])?.id;
  // What was proposed stays, also when another one is changed while the person types.
  if (projectId === undefined && id !== undefined && id !== chosen) choose(id);
  const draft = useDraft(projectId ?? 'new-task', 'message');
  const uploads = useUploads(id && `/api/projects/${id}/attachments`);
  const read = useQuery({ ...projectQuery(id ?? ''), enabled: id !== undefined });
  const project = read.data;
  const [title, setTitle] = useState('');
  const [model, setModel] = useState('');
  const [cap, setCap] = useState('');
  const [base, setBase] = useState('');
  const navigate = useNavigate();
  if (open?.length === 0)
    return (
      <Empty>
        There is no project yet in which you may begin a task. Create one, or ask to be added to
        one.
      </Empty>
    );
  const composer = (
    <ComposerField
      label="What is to be built?"
      labelShown
      placeholder="Sale orders above 1,000 euros need the approval of a manager"
      submit="Start the task"
      rows={3}
      draft={draft}
      uploads={
        project?.available_actions.includes('create_project_attachment') ? uploads : undefined
      }
      // What the project brings moves the button, too.
      ready={!read.isPending}
      send={async (message, attachment_ids) => {
        if (id === undefined) return;
        const task = await guildhall.post('/api/projects/{project_id}/tasks', {
          project_id: id,
          body: {
            message,
            attachment_ids,
            ...(title.trim() !== '' && { title: title.trim() }),
            ...(model !== '' && { model }),
            ...(cap.trim() !== '' && { spend_cap: cap.trim() }),
            ...(base.trim() !== '' && { base: base.trim() }),
          },
        });
        queries.setQueryData(['task', task.id], undefined);
        await queries.invalidateQueries({ queryKey: ['project', id] });
        draft.forget();
        await navigate({
          to: '/projects/$project/tasks/$task',
          params: { project: id, task: task.id },
        });
      }}
    >
      {projectId === undefined && (
        <select
          aria-label="Project"
          value={id ?? ''}
          onChange={({ target }) => choose(target.value)}
          className={`${CONTROL} max-w-48`}
        >
          {open?.map((each) => (
            <option key={each.id} value={each.id}>
              {each.name}
            </option>
          ))}
        </select>
      )}
      <ModelField projectId={id} value={model} onChange={setModel} />
      <input
        name="spend_cap"
        aria-label="Spending cap in USD"
        title="The task pauses before it would cost more. Empty: no cap of its own."
        inputMode="decimal"
        autoComplete="off"
        placeholder="Cap in USD"
        value={cap}
        onChange={({ target }) => setCap(target.value)}
        className={`${CONTROL} w-24`}
      />
      <input
        name="base"
        aria-label="Branch to begin with"
        title="The changes are to be merged into it. Empty: the default branch."
        maxLength={200}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck="false"
        placeholder="Default branch"
        value={base}
        onChange={({ target }) => setBase(target.value)}
        className={`${CONTROL} w-36`}
      />
      <input
        name="title"
        aria-label="Title"
        title="Empty: the first line of the message."
        dir="auto"
        maxLength={300}
        autoComplete="off"
        placeholder="Title, if you like"
        value={title}
        onChange={({ target }) => setTitle(target.value)}
        className={`${CONTROL} w-36`}
      />
      {project !== undefined && (
        <span className="text-xs text-muted">
          {project.plan_approval === 'automatic'
            ? 'Plans are approved automatically'
            : 'A person approves the plan'}
          {project.available_actions.includes('update_project') && (
            <>
              {' · '}
              <Link
                to="/projects/$project/settings"
                params={{ project: project.id }}
                className="text-link underline"
              >
                Change
              </Link>
            </>
          )}
        </span>
      )}
    </ComposerField>
  );
  return (
    <div className="flex flex-col gap-2">
      {composer}
      {project !== undefined && <NoFunds project={project} />}
    </div>
  );
}

const CONTROL =
  'min-h-8 rounded-box border border-edge bg-surface px-2 py-1 text-sm placeholder:text-muted';

/** The projects in which the person may begin a task, those that changed last first. */
function useOpenProjects(wanted: boolean) {
  const { data } = useQuery({ ...projectsQuery, enabled: wanted });
  return data
    ?.filter(({ available_actions }) => available_actions.includes('create_task'))
    .sort((a, b) => b.updated_at.localeCompare(a.updated_at));
}

function ModelField({
  projectId,
  value,
  onChange,
}: {
  projectId: string | undefined;
  value: string;
  onChange: (model: string) => void;
}): ReactNode {
  const { models, nameOf } = useModels(projectId);
  return (
    <select
      name="model"
      aria-label="Model"
      value={value}
      onChange={({ target }) => onChange(target.value)}
      className={`${CONTROL} max-w-48`}
    >
      <option value="">{nameOf()} (usual)</option>
      {models.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
