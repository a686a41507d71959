import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { refreshTask, taskMergeTargetsQuery } from '../../data/task.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Section } from '../../ui/page.tsx';
import {
  asksFirst,
  type Method,
  merge,
  type PullRequest,
  passed,
  type Target,
  withStage,
} from './merge.ts';
import { ConfirmMerge } from './on-demand.tsx';

const METHODS: Record<Method, string> = {
  merge: 'All its commits',
  squash: 'One commit',
};

/** Everything that is decided at a merge: into what, how, and whether in spite of its checks. */
export function MergeBox({ request }: { request: PullRequest }): ReactNode {
  const { task_id, base, head_sha, available_actions: actions } = request;
  const targets = useQuery(taskMergeTargetsQuery(task_id));
  const [method, setMethod] = useState<Method>('merge');
  const [busy, setBusy] = useState(false);
  const [asking, setAsking] = useState(false);
  const [refusal, setRefusal] = useState<unknown>();
  const target = targets.data?.find(({ is_base }) => is_base);
  const may = actions.includes('merge_task') && head_sha !== undefined;
  const run = async (act: () => Promise<unknown>) => {
    setBusy(true);
    setRefusal(undefined);
    try {
      await act();
    } catch (error) {
      setRefusal(error);
      await refreshTask(task_id);
    }
    setBusy(false);
  };
  const aim = (branch: string) =>
    run(async () => {
      await guildhall.put('/api/tasks/{task_id}/merge-target', { task_id, body: { branch } });
      await refreshTask(task_id);
    });
  return (
    <Section title="Merge">
      <div className="flex flex-wrap items-end gap-3">
        <Choice
          label="Into"
          value={base}
          disabled={busy || !actions.includes('set_task_merge_target')}
          options={
            targets.data?.map(({ branch, stage }) => [branch, withStage(branch, stage)]) ?? [
              [base, base],
            ]
          }
          onChange={(branch) => void aim(branch)}
        />
        {may && (
          <>
            <Choice
              label="As"
              value={method}
              disabled={busy}
              options={Object.entries(METHODS)}
              onChange={(value) => setMethod(value as Method)}
            />
            <Button
              icon="merge"
              look={passed(request) ? 'primary' : 'danger'}
              busy={busy}
              onClick={() =>
                asksFirst(request, target)
                  ? setAsking(true)
                  : void run(() => merge(request, method))
              }
            >
              {passed(request) ? `Merge into ${withStage(base, target?.stage)}` : 'Merge anyway'}
            </Button>
          </>
        )}
      </div>
      {!may && target?.reason !== undefined && (
        <p className="max-w-prose text-muted">{REASONS[target.reason]}</p>
      )}
      {refusal !== undefined && <Failure error={refusal} />}
      {asking && (
        <ConfirmMerge
          request={request}
          target={target}
          method={method}
          onClose={() => setAsking(false)}
        />
      )}
    </Section>
  );
}

const REASONS: Partial<Record<NonNullable<Target['reason']>, string>> = {
  project_archived: 'The project is archived: nothing is merged until it is taken back.',
  not_permitted:
    'You may not merge into this branch. An owner or admin may, and a team that may merge into ' +
    'branches of its stage.',
  checks_not_passed:
    'Its checks have to pass first. An owner or admin of the project may merge without that.',
};

function Choice({
  label,
  value,
  options,
  disabled,
  onChange,
}: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  disabled: boolean;
  onChange: (value: string) => void;
}): ReactNode {
  return (
    <label className="flex flex-col gap-1">
      <span className="text-xs text-muted">{label}</span>
      <select
        value={value}
        disabled={disabled}
        onChange={(event) => onChange(event.target.value)}
        className="max-w-72 rounded-box border border-edge bg-surface px-2 py-1.5 disabled:bg-raised"
      >
        {/* The base may be no merge target any more. */}
        {options.every(([option]) => option !== value) && <option value={value}>{value}</option>}
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
