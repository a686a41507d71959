import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { commentsQuery, planDiffQuery, planQuery, planVersionQuery } from '../../data/task.ts';
import { Boundary } from '../../ui/boundary.tsx';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { insteadOf } from '../../ui/instead.ts';
import { Empty } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { DiffLines } from './diff-lines.tsx';
import { PlanRevision } from './on-demand.tsx';
import { OtherComments } from './plan-comments.tsx';
import { PlanText } from './plan-text.tsx';
import { Removed } from './removed.tsx';
import type { Task } from './states.ts';
import { useRevision } from './use-revision.ts';

type View = 'text' | 'changes';

/** The plan: its versions, what changed since the approved one, comments, a person's revision. */
export function PlanPanel({ task }: { task: Task }): ReactNode {
  const { version: chosen } = useSearch({ from: '/signed-in/projects/$project/tasks/$task' });
  const navigate = useNavigate();
  const [view, setView] = useState<View>('text');
  const current = useQuery({ ...planQuery(task.id), enabled: task.plan !== undefined });
  const latest = current.data?.version ?? task.plan?.version ?? 0;
  const shown = chosen !== undefined && chosen < latest ? chosen : latest;
  const old = useQuery({
    ...planVersionQuery(task.id, shown),
    enabled: shown > 0 && shown < latest,
  });
  const comments = useQuery({ ...commentsQuery(task.id), enabled: task.plan !== undefined });
  const revision = useRevision(task.id, latest);
  if (task.plan === undefined)
    return <Empty>The agent has not written a plan yet. It appears here when it has.</Empty>;
  if (insteadOf(current))
    return <Failure error={current.error} retry={() => void current.refetch()} />;
  const plan = current.data;
  if (plan === undefined) return null;
  const approved = task.plan.approved_version;
  const may = (action: string) => plan.available_actions.includes(action as never);
  const open = comments.data?.filter(({ resolved }) => !resolved) ?? [];
  const resolved = comments.data?.filter((comment) => comment.resolved) ?? [];
  const asText = view === 'text' || approved === undefined || approved === shown;
  const { text, text_removed_at } = (shown === latest ? plan : old.data) ?? {};
  const show = (version: number) =>
    void navigate({
      to: '.',
      search: (search) => ({ ...search, version: version === latest ? undefined : version }),
      replace: true,
    });
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <label className="flex items-center gap-2">
          Version
          <select
            value={shown}
            onChange={(event) => show(Number(event.target.value))}
            className="rounded-box border border-edge bg-surface px-2 py-1"
          >
            {Array.from({ length: latest }, (_, index) => latest - index).map((version) => (
              <option key={version} value={version}>
                {version}
                {version === approved ? ' (approved)' : ''}
              </option>
            ))}
          </select>
        </label>
        {shown === approved ? (
          <Status state="done">Approved</Status>
        ) : (
          shown === latest && <Status state="waiting">Not approved</Status>
        )}
        <span className="text-xs text-muted">
          {shown === latest && <Time at={plan.created_at} />}
        </span>
        <span className="flex-1" />
        {approved !== undefined && approved !== shown && (
          <Button onClick={() => setView(view === 'changes' ? 'text' : 'changes')}>
            {view === 'changes' ? 'Show the text' : `Changes since version ${approved}`}
          </Button>
        )}
        {shown === latest && may('revise_plan') && !revision.open && (
          <Button onClick={revision.begin}>Edit</Button>
        )}
      </div>
      {shown < latest && (
        <p role="status" className="rounded-box bg-waiting-tint p-2 text-waiting">
          This is version {shown}. Version {latest} is newer.{' '}
          <button type="button" className="underline" onClick={() => show(latest)}>
            Show it
          </button>
        </p>
      )}
      {old.error && <Failure error={old.error} retry={() => void old.refetch()} />}
      {comments.error && <Failure error={comments.error} retry={() => void comments.refetch()} />}
      {shown === latest && revision.open && may('revise_plan') ? (
        <PlanRevision key={revision.base} plan={plan} revision={revision} />
      ) : (
        <Boundary key={`${view} ${shown}`} what="The plan" source={text}>
          {!asText && <PlanChanges taskId={task.id} from={approved} to={shown} />}
          {asText && text_removed_at !== undefined && (
            <Removed what="The text was" at={text_removed_at} kept="conversations_days" />
          )}
          {asText && text && <PlanText plan={plan} version={shown} text={text} comments={open} />}
        </Boundary>
      )}
      <OtherComments
        comments={asText && !(shown === latest && revision.open) ? [] : open}
        resolved={resolved}
      />
    </div>
  );
}

function PlanChanges({
  taskId,
  from,
  to,
}: {
  taskId: string;
  from: number;
  to: number;
}): ReactNode {
  const diff = useQuery(planDiffQuery(taskId, from, to));
  if (insteadOf(diff)) return <Failure error={diff.error} retry={() => void diff.refetch()} />;
  if (diff.data === undefined) return null;
  return (
    <DiffLines
      label={`Changes from version ${from} to version ${to}`}
      lines={diff.data.hunks.flatMap(({ lines }) => lines)}
    />
  );
}
