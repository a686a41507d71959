import { GuildhallError } from '@guildhall/client';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';

/** What went wrong, in the API's words, with the id of the request and a way to try again. */
export function Failure({
  error,
  says,
  retry,
}: {
  error: unknown;
  /** In other words. */
  says?: string | undefined;
  retry?: () => void;
}): ReactNode {
  const requestId = error instanceof GuildhallError ? error.requestId : undefined;
  return (
    <div
      role="alert"
      className="flex flex-col items-start gap-2 rounded-box border border-line bg-wrong-tint p-3 text-wrong"
    >
      <p className="flex max-w-prose items-start gap-2">
        <span className="pt-0.5">
          <Icon name="warning" />
        </span>
        <span>{says ?? sentence(error)}</span>
      </p>
      {requestId && (
        <p className="flex flex-wrap items-center gap-1 text-xs text-muted">
          Request <code className="select-all">{requestId}</code>
        </p>
      )}
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

/** What a person reads of an error. Its cause is for the console, not for them. */
function sentence(error: unknown): string {
  if (error instanceof GuildhallError) {
    if (error.fields.length > 0)
      return error.fields.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ');
    return error.detail;
  }
  return 'This page has failed. Reload it, and if it fails again, report it to the operator.';
}
