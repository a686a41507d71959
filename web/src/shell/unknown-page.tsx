import type { ReactNode } from 'react';
import { ButtonLink } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';

/** An address that leads nowhere. */
export function UnknownPage(): ReactNode {
  return (
    <Page title="There is no such page">
      <p className="max-w-prose text-muted">
        The address may be mistyped, or what it named is gone. Go to a project in the list at the
        side, or to the first page.
      </p>
      <div>
        <ButtonLink to="/" icon="home" look="primary">
          Go to the first page
        </ButtonLink>
      </div>
    </Page>
  );
}
