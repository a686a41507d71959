import type { ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Failure } from '../ui/failure.tsx';
import { Page } from '../ui/page.tsx';

/** A page whose data could not be read. */
export function FailedPage({ error, reset }: ErrorComponentProps): ReactNode {
  return (
    <Page title="This page cannot be shown">
      <Failure error={error} retry={reset} />
    </Page>
  );
}
