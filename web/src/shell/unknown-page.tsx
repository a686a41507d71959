import type { ReactNode } from 'react';
import { ButtonLink } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';

/** An address that leads nowhere, or to what is gone or not for this person: the API tells them nothing else. */
export function UnknownPage(): ReactNode {
  return (
    <Page title="There is no such page">
      <p className="max-w-prose text-muted">
        The address may be mistyped, what it named may have been deleted, or you may not open it. Go
        to a project in the list at the side, or to the first page.
      </p>
      <div>
        <ButtonLink to="/" icon="home" look="primary">
          Go to the first page
        </ButtonLink>
      </div>
    </Page>
  );
}
