import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { configQuery } from '../../data/config.ts';
import {
  giteaConnectionsQuery,
  githubBranchesQuery,
  githubRepositoriesQuery,
  installationsQuery,
  refreshProject,
} from '../../data/project.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, SelectField, TextField } from '../../ui/form.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import type { Project } from './project.ts';

type Host = 'local' | 'github' | 'gitea';

interface Props {
  project: Project;
  onClose: () => void;
}

/**
 * Attaches a repository: of this server by its name, of GitHub from a connected account, of Gitea or
 * Forgejo from a server that the workspace has connected.
 */
export function AttachRepository({ project, onClose }: Props): ReactNode {
  const config = useQuery(configQuery);
  const [host, setHost] = useState<Host>('local');
  const github = config.data?.code_hosts.find((each) => each.host === 'github');
  return (
    <Dialog title="Attach a repository" onClose={onClose}>
      <p className="text-muted">
        Tasks work in one repository: the first of another host that is attached, or main of this
        server. The others are for people, and for tasks where they are submodules of that one.
      </p>
      <SelectField
        name="host"
        label="Where it is"
        defaultValue={host}
        onChange={(value) => setHost(value as Host)}
        options={[
          { value: 'local', label: 'This server' },
          { value: 'github', label: 'GitHub' },
          { value: 'gitea', label: 'Gitea or Forgejo' },
        ]}
      />
      {host === 'local' && <Attach host="local" project={project} onClose={onClose} />}
      {host === 'github' && github?.available && <OfGithub project={project} onClose={onClose} />}
      {host === 'github' && github?.available === false && <p>{github.reason}</p>}
      {host === 'gitea' && <OfGitea project={project} onClose={onClose} />}
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
      onSubmit={async ({ full_name = '', connection_id }) => {
        await guildhall.post('/api/projects/{project_id}/repositories', {
          project_id: project.id,
          body: {
            host,
            full_name: full_name.trim(),
            ...(connection_id !== undefined && { connection_id }),
          },
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

function OfGitea({ project, onClose }: Props): ReactNode {
  const { organization_id: org } = project;
  const connections = useQuery(giteaConnectionsQuery(org));
  if (org === undefined)
    return (
      <p>Only a workspace connects Gitea and Forgejo servers: transfer the project to one first.</p>
    );
  if (connections.error)
    return <Failure error={connections.error} retry={() => void connections.refetch()} />;
  if (connections.data === undefined) return null;
  const [first] = connections.data;
  if (first === undefined)
    return (
      <p>
        The workspace has connected no such server. An admin can do so in{' '}
        <Link to="/workspaces/$org/settings" params={{ org }} className="text-link underline">
          its settings
        </Link>
        .
      </p>
    );
  return (
    <Attach host="gitea" project={project} onClose={onClose}>
      <SelectField
        name="connection_id"
        label="Server"
        defaultValue={first.id}
        options={connections.data.map(({ id, url }) => ({ value: id, label: url }))}
      />
      <TextField
        name="full_name"
        label="Repository"
        required
        placeholder="owner/name"
        hint="One that the account of the connection may write to."
      />
    </Attach>
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
  const [q, setQ] = useState<string>();
  const repositories = useQuery({
    ...githubRepositoriesQuery(installationId, q ?? ''),
    placeholderData: (before) => before,
  });
  const [name, setName] = useState<string>();
  const rows = repositories.data ?? [];
  const chosen = rows.find(({ full_name }) => full_name === name) ?? rows[0];
  return (
    <>
      <SearchField label="Search repositories by name" value={q} onChange={setQ} />
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
