import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { identitiesQuery, refreshAccount } from '../../data/account.ts';
import { auth } from '../../data/api.ts';
import type { components } from '../../data/auth-schema.d.ts';
import { leaveFor } from '../../data/leave-for.ts';
import { askForProof } from '../../data/proof.ts';
import { queries } from '../../data/queries.ts';
import { sessionQuery } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form } from '../../ui/form.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { Applications } from './applications.tsx';
import { GithubAccounts } from './github-accounts.tsx';

type Identity = components['schemas']['Identity'];

const HERE = '/account/connections';

/**
 * Accounts elsewhere, those that sign in and those on GitHub whose repositories can be used, and
 * applications that use this one.
 */
export function Connections(): ReactNode {
  return (
    <>
      <Identities />
      <GithubAccounts here={HERE} />
      <Applications />
    </>
  );
}

function Identities(): ReactNode {
  const session = useQuery(sessionQuery);
  const identities = useQuery(identitiesQuery);
  const [removed, setRemoved] = useState<Identity>();
  const providers = session.data?.sign_in.providers ?? [];
  const rows = identities.data ?? [];
  const nameOf = (id: string) => providers.find((each) => each.id === id)?.name ?? id;
  const others = providers.filter(({ id }) => !rows.some(({ provider }) => provider === id));
  return (
    <Section title="Accounts that sign you in">
      {identities.error && (
        <Failure error={identities.error} retry={() => void identities.refetch()} />
      )}
      {identities.data?.length === 0 && (
        <p className="max-w-prose text-muted">
          {providers.length === 0
            ? 'This server offers no sign-in with an account elsewhere.'
            : 'None yet. Link an account elsewhere to sign in with it.'}
        </p>
      )}
      {rows.length > 0 && (
        <Table
          label="Accounts that sign you in"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            { heading: 'Provider', cell: ({ provider }) => nameOf(provider) },
            { heading: 'Address there', cell: ({ email }) => <span dir="auto">{email}</span> },
            {
              heading: 'Used',
              wide: true,
              cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : 'never'),
            },
            {
              heading: '',
              align: 'right',
              cell: (identity) => (
                <Button
                  aria-label={`Unlink ${nameOf(identity.provider)}`}
                  onClick={() => setRemoved(identity)}
                >
                  Unlink
                </Button>
              ),
            },
          ]}
        />
      )}
      {others.map(({ id, name }) => (
        <Form key={id} submit={`Link ${name}`} look="plain" onSubmit={() => linkTo(id)} />
      ))}
      {removed && (
        <Confirm
          title="Unlink this account?"
          submit="Unlink the account"
          act={async () => {
            await auth.delete('/auth/identities/{identity_id}', { identity_id: removed.id });
            await refreshAccount();
          }}
          onClose={() => setRemoved(undefined)}
        >
          <p>
            Your account at {nameOf(removed.provider)} no longer signs you in. You can link it
            again.
          </p>
        </Confirm>
      )}
    </Section>
  );
}

/** Leaves for the provider, after a proof if there is none. */
async function linkTo(provider: string): Promise<void> {
  const session = await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
  if (session.proven_until === undefined && !(await askForProof())) return;
  const query = new URLSearchParams({ link: 'true', return_to: HERE });
  leaveFor(`/auth/providers/${encodeURIComponent(provider)}/start?${query}`);
}
