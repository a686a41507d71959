import { GuildhallError } from '@guildhall/client';
import type { ReactNode } from 'react';
import { Button, ButtonLink } from './button.tsx';
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
      {isUnknown(error) ? (
        <ButtonLink to="/">Go to the first page</ButtonLink>
      ) : (
        retry && <Button onClick={retry}>Try again</Button>
      )}
    </div>
  );
}

/** What an address names is not there for this person, or cannot be: one of its parts is no id. */
const isUnknown = (error: unknown): boolean =>
  error instanceof GuildhallError &&
  (error.code === 'not_found' || error.fields.some(({ loc }) => loc[0] === 'path'));

/** What a person reads of an error. Its cause is for the console, not for them. */
function sentence(error: unknown): string {
  if (isUnknown(error)) return 'This is not there any more, or you may not open it.';
  if (error instanceof GuildhallError) {
    if (error.fields.length > 0)
      return error.fields.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ');
    return error.detail;
  }
  return 'This page has failed. Reload it, and if it fails again, report it to the operator.';
}
