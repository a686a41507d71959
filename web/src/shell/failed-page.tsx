import type { ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Failure } from '../ui/failure.tsx';
import { Page } from '../ui/page.tsx';

/** A page whose data could not be read, or whose file: nothing is typed there that could be lost. */
export function FailedPage({ error, reset }: ErrorComponentProps): ReactNode {
  const notLoaded = (error as { code?: string }).code === 'page_not_loaded';
  return (
    <Page title="This page cannot be shown">
      <Failure error={error} retry={notLoaded ? loadAnew : reset} />
    </Page>
  );
}

/** Unless the server cannot be reached: then the page stays. */
const loadAnew = () =>
  fetch('/', { method: 'HEAD' }).then(
    () => location.reload(),
    () => {},
  );
