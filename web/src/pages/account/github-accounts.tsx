import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { configQuery } from '../../data/config.ts';
import { leaveFor } from '../../data/leave-for.ts';
import { installationsQuery } from '../../data/project.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';

/**
 * The accounts on GitHub whose repositories can be used: in the projects of a workspace, or in the
 * person's own. Nothing if this server is not connected to GitHub.
 */
export function GithubAccounts({ org, here }: { org?: string; here: string }): ReactNode {
  const config = useQuery(configQuery);
  const installations = useQuery(installationsQuery(org));
  const available = config.data?.code_hosts.some(
    ({ host, available }) => host === 'github' && available,
  );
  if (!available) return null;
  const connect = () => {
    const query = { return_to: here, ...(org !== undefined && { organization_id: org }) };
    leaveFor(`/auth/github/install?${new URLSearchParams(query)}`);
  };
  return (
    <Section
      title={org === undefined ? 'GitHub for your personal projects' : 'GitHub'}
      actions={<Button onClick={connect}>Connect GitHub</Button>}
    >
      {installations.error && (
        <Failure error={installations.error} retry={() => void installations.refetch()} />
      )}
      {installations.data?.length === 0 && (
        <p className="max-w-prose text-muted">
          None yet. Connect an account on GitHub to use its repositories in{' '}
          {org === undefined ? 'your personal projects' : 'the projects of the workspace'}.
        </p>
      )}
      {installations.data !== undefined && installations.data.length > 0 && (
        <Table
          label="Accounts on GitHub"
          rows={installations.data}
          keyOf={({ id }) => String(id)}
          columns={[
            { heading: 'Account', cell: ({ account }) => account.login },
            {
              heading: 'Repositories',
              cell: ({ repository_selection }) =>
                repository_selection === 'all' ? 'All' : 'Those selected on GitHub',
            },
            {
              heading: 'State',
              cell: ({ suspended }) => (suspended ? 'Suspended on GitHub' : 'Connected'),
            },
          ]}
        />
      )}
    </Section>
  );
}
