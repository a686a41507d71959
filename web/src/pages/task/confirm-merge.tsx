import type { ReactNode } from 'react';
import { Confirm } from '../../ui/confirm.tsx';
import { type Method, merge, type PullRequest, passed, type Target, withStage } from './merge.ts';

/** Asks before a merge, and says what it deploys and which checks it passes over. */
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
