import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { refreshTask, taskMergeTargetsQuery } from '../../data/task.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Section } from '../../ui/page.tsx';
import type { Merge } from './states.ts';

type PullRequest = components['schemas']['PullRequest'];
type Target = components['schemas']['TaskMergeTarget'];
type Method = Merge['method'];

const METHODS: Record<Method, string> = {
  merge: 'All its commits',
  squash: 'One commit',
};

/** How a branch is named where something is merged into it: with the stage that it deploys to. */
export const withStage = (branch: string, stage: string | undefined): string =>
  stage === undefined ? branch : `${branch} (${stage})`;

/** What the pull request would be merged into; undefined until that is known, or if it is gone. */
export function useTarget(taskId: string, opened: boolean): Target | undefined {
  const targets = useQuery({ ...taskMergeTargetsQuery(taskId), enabled: opened });
  return targets.data?.find(({ is_base }) => is_base);
}

const passed = ({ checks }: PullRequest): boolean => ['passed', 'none'].includes(checks.state);

/** Merges the commit that is shown: a newer one is refused. */
export async function merge(request: PullRequest, method: Method = 'merge'): Promise<void> {
  await guildhall.post('/api/tasks/{task_id}/merge', {
    task_id: request.task_id,
    body: {
      expected_head_sha: request.head_sha as string,
      method,
      force: !passed(request),
    },
  });
  await refreshTask(request.task_id);
}

/** Asks once: before production, and before work whose checks have not passed. */
export const asksFirst = (request: PullRequest, target: Target | undefined): boolean =>
  target?.stage !== 'staging' || !passed(request);

export function ConfirmMerge({
  request,
  target,
  method = 'merge',
  onClose,
}: {
  request: PullRequest;
  target: Target | undefined;
  method?: Method;
  onClose: () => void;
}): ReactNode {
  const { base, checks } = request;
  return (
    <Confirm
      title={`Merge into ${withStage(base, target?.stage)}?`}
      submit={passed(request) ? `Merge into ${base}` : 'Merge anyway'}
      act={() => merge(request, method)}
      onClose={onClose}
    >
      {target?.stage === 'production' && (
        <p>
          <strong>{base}</strong> is production: what is merged is deployed there, if the repository
          says how.
        </p>
      )}
      {!passed(request) && (
        <p>
          {checks.state === 'failed'
            ? `${checks.failed} of its checks failed.`
            : 'Its checks have not ended.'}{' '}
          That it was merged all the same, and by whom, stands in the audit trail.
        </p>
      )}
    </Confirm>
  );
}

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
