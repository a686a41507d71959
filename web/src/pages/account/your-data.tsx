import { GuildhallError } from '@guildhall/client';
import { type ReactNode, useState } from 'react';
import { auth } from '../../data/api.ts';
import { forgetDrafts } from '../../data/forget-drafts.ts';
import { useUser } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmByName } from '../../ui/confirm.tsx';
import { CheckField } from '../../ui/form.tsx';
import { Section } from '../../ui/page.tsx';

/** What the person may take with them, and the way out for good. */
export function YourData(): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Section title="Your data">
        <p className="max-w-prose text-muted">
          One file with what this server knows of you: profile, sessions, keys, memberships, tasks,
          messages, comments, approvals, settings, your own balance, and what the audit trail says
          you did. It holds no password and no key. That it was made stands in the audit trail.
        </p>
        <p>
          <a href="/auth/account/export" download className="text-link underline">
            Export your data
          </a>
        </p>
      </Section>
      <Section title="Delete your account">
        <p className="max-w-prose text-muted">
          Your name and address, keys, cards, settings, personal projects, and workspaces that
          nobody else has a part in go for ever. What you did in projects of others stays, as that
          of a former member; so do invoices and the audit trail.
        </p>
        <div>
          <Button look="danger" onClick={() => setOpen(true)}>
            Delete your account
          </Button>
        </div>
      </Section>
      {open && <DeleteAccount onClose={() => setOpen(false)} />}
    </>
  );
}

interface Blocker {
  code: string;
  message: string;
}

function DeleteAccount({ onClose }: { onClose: () => void }): ReactNode {
  const { email } = useUser();
  const [blockers, setBlockers] = useState<Blocker[]>([]);
  return (
    <ConfirmByName
      title="Delete your account?"
      name={email}
      submit="Delete my account"
      onClose={onClose}
      onSubmit={async ({ give_up }) => {
        await auth
          .delete('/auth/account', { give_up_balance: give_up === 'on' })
          .then(undefined, (error: unknown) => {
            if (error instanceof GuildhallError && Array.isArray(error.body.blockers))
              setBlockers(error.body.blockers);
            throw error;
          });
        // A new page follows: nothing of the session is left in the memory of this one.
        forgetDrafts();
        location.assign('/sign-in');
      }}
    >
      <p>This cannot be undone, and nobody can bring it back.</p>
      {blockers.length > 0 && (
        <ul className="flex list-disc flex-col gap-1 pl-5" dir="auto">
          {blockers.map(({ code, message }) => (
            <li key={`${code} ${message}`}>{message}</li>
          ))}
        </ul>
      )}
      {blockers.some(({ code }) => code === 'balance_left') && (
        <CheckField name="give_up" label="Give up what is left of my balance" />
      )}
    </ConfirmByName>
  );
}
