import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { configQuery } from '../../data/config.ts';
import {
  githubBranchesQuery,
  githubRepositoriesQuery,
  installationsQuery,
  refreshProject,
} from '../../data/project.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, SelectField, TextField } from '../../ui/form.tsx';
import type { Project } from './project.ts';

type Host = 'local' | 'github';

interface Props {
  project: Project;
  onClose: () => void;
}

/** Attaches a repository: of this server by its name, of GitHub from a connected account. */
export function AttachRepository({ project, onClose }: Props): ReactNode {
  const config = useQuery(configQuery);
  const [host, setHost] = useState<Host>('local');
  const github = config.data?.code_hosts.find((each) => each.host === 'github');
  return (
    <Dialog title="Attach a repository" onClose={onClose}>
      <p className="text-muted">
        Tasks work in one repository: the first of GitHub that is attached, or main of this server.
        The others are for people, and for tasks where they are submodules of that one.
      </p>
      <SelectField
        name="host"
        label="Where it is"
        defaultValue={host}
        onChange={(value) => setHost(value as Host)}
        options={[
          { value: 'local', label: 'This server' },
          { value: 'github', label: 'GitHub' },
        ]}
      />
      {host === 'local' && <Attach host="local" project={project} onClose={onClose} />}
      {host === 'github' && github?.available && <OfGithub project={project} onClose={onClose} />}
      {host === 'github' && github?.available === false && <p>{github.reason}</p>}
    </Dialog>
  );
}

function Attach({
  host,
  project,
  onClose,
  children,
}: Props & { host: Host; children?: ReactNode }): ReactNode {
  return (
    <Form
      submit="Attach"
      onCancel={onClose}
      onSubmit={async ({ full_name = '' }) => {
        await guildhall.post('/api/projects/{project_id}/repositories', {
          project_id: project.id,
          body: { host, full_name: full_name.trim() },
        });
        await refreshProject(project.id);
        onClose();
      }}
    >
      {children ?? (
        <TextField
          name="full_name"
          label="Name"
          required
          placeholder="addons"
          hint="A new one is empty. One that was detached comes back with its code."
        />
      )}
    </Form>
  );
}

function OfGithub({ project, onClose }: Props): ReactNode {
  const installations = useQuery(installationsQuery(project.organization_id));
  const [account, setAccount] = useState<number>();
  if (installations.error)
    return <Failure error={installations.error} retry={() => void installations.refetch()} />;
  if (installations.data === undefined) return null;
  const [first] = installations.data;
  if (first === undefined)
    return (
      <p>
        No account on GitHub is connected to {project.organization_id ? 'the workspace' : 'you'}.
        Connect one in{' '}
        {project.organization_id ? (
          <Link
            to="/workspaces/$org/settings"
            params={{ org: project.organization_id }}
            className="text-link underline"
          >
            the workspace
          </Link>
        ) : (
          <Link to="/account/connections" className="text-link underline">
            your account
          </Link>
        )}
        , then come back.
      </p>
    );
  const chosen = account ?? first.id;
  return (
    <>
      <SelectField
        name="account"
        label="Account"
        defaultValue={String(chosen)}
        onChange={(value) => setAccount(Number(value))}
        options={installations.data.map(({ id, account: { login }, suspended }) => ({
          value: String(id),
          label: suspended ? `${login} (suspended)` : login,
        }))}
      />
      <OfAccount key={chosen} installationId={chosen} project={project} onClose={onClose} />
    </>
  );
}

function OfAccount({ installationId, ...props }: Props & { installationId: number }): ReactNode {
  const [q, setQ] = useState('');
  const repositories = useQuery({
    ...githubRepositoriesQuery(installationId, q),
    placeholderData: (before) => before,
  });
  const [name, setName] = useState<string>();
  const rows = repositories.data ?? [];
  const chosen = rows.find(({ full_name }) => full_name === name) ?? rows[0];
  return (
    <>
      <TextField
        name="q"
        label="Search"
        type="search"
        placeholder="A part of the name"
        onChange={(event) => setQ(event.target.value)}
      />
      {repositories.error && (
        <Failure error={repositories.error} retry={() => void repositories.refetch()} />
      )}
      {repositories.data && rows.length === 0 && <p>No repository of this account fits.</p>}
      {chosen && (
        <Attach host="github" {...props}>
          <SelectField
            // The browser chooses the first one anew when the list is another.
            key={q}
            name="full_name"
            label="Repository"
            defaultValue={chosen.full_name}
            onChange={setName}
            options={rows.map(({ full_name }) => ({ value: full_name, label: full_name }))}
          />
          <GithubBranches id={chosen.id} defaultBranch={chosen.default_branch} />
        </Attach>
      )}
    </>
  );
}

function GithubBranches({ id, defaultBranch }: { id: number; defaultBranch: string }): ReactNode {
  const branches = useQuery(githubBranchesQuery(id));
  if (branches.error)
    return <Failure error={branches.error} retry={() => void branches.refetch()} />;
  if (branches.data === undefined) return null;
  const others = branches.data.filter(({ name }) => name !== defaultBranch).length;
  return (
    <p className="text-xs break-all text-muted">
      Tasks begin from {defaultBranch}
      {others > 0 && `, one of ${others + 1}${others >= 49 ? ' or more' : ''} branches`}.
    </p>
  );
}
