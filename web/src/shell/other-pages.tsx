import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Failure } from '../ui/failure.tsx';
import { Page } from '../ui/page.tsx';

/** An address that leads nowhere. */
export function UnknownPage(): ReactNode {
  return (
    <Page title="There is no such page">
      <p className="text-muted">
        The address may be mistyped, or what it named is gone.{' '}
        <Link to="/" className="text-link underline">
          Go to the first page
        </Link>
        .
      </p>
    </Page>
  );
}

/** A page whose data could not be read. */
export function FailedPage({ error, reset }: ErrorComponentProps): ReactNode {
  return (
    <Page title="This page cannot be shown">
      <Failure error={error} retry={reset} />
    </Page>
  );
}
