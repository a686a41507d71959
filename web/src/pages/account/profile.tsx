import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { accountQuery, refreshAccount } from '../../data/account.ts';
import { guildhall } from '../../data/api.ts';
import { queries } from '../../data/queries.ts';
import { CopyText } from '../../ui/copy-id.tsx';
import { Failure } from '../../ui/failure.tsx';
import { CheckField, Form, TextField } from '../../ui/form.tsx';
import { insteadOf } from '../../ui/instead.ts';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { YourData } from './your-data.tsx';

/** How others see the person. */
export function Profile(): ReactNode {
  const account = useQuery(accountQuery);
  const [saved, setSaved] = useState(false);
  if (insteadOf(account))
    return <Failure error={account.error} retry={() => void account.refetch()} />;
  if (account.data === undefined) return null;
  const { id, email, name, mail_warnings, created_at } = account.data;
  return (
    <>
      <Section title="Profile">
        <Form
          submit="Save"
          onSubmit={async ({ name = '', mail_warnings }) => {
            setSaved(false);
            await guildhall.put('/api/account', {
              body: { name: name.trim() || null, mail_warnings: mail_warnings === 'on' },
            });
            await Promise.all([
              refreshAccount(),
              queries.invalidateQueries({ queryKey: ['session'] }),
            ]);
            setSaved(true);
          }}
        >
          <TextField
            name="name"
            label="Name"
            defaultValue={name ?? ''}
            dir="auto"
            autoComplete="name"
            hint="People in your workspaces and projects see it. Without it, they see your address."
          />
          <CheckField
            name="mail_warnings"
            label="Warnings by mail"
            hint="When a spend limit is nearly spent or reached, a balance is low, an automatic charge fails or a card expires: of your own, or of a workspace that you administer."
            defaultChecked={mail_warnings}
          />
        </Form>
        <p role="status" className="text-done">
          {saved ? 'Saved.' : ''}
        </p>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
          <dt className="text-muted">Email</dt>
          <dd dir="auto">{email}</dd>
          <dt className="text-muted">Id</dt>
          <dd>
            <CopyText text={id} label="Copy your id" />
          </dd>
          <dt className="text-muted">Since</dt>
          <dd>
            <Time at={created_at} />
          </dd>
        </dl>
      </Section>
      <YourData />
    </>
  );
}
