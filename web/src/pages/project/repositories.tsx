import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { projectQuery, refreshProject, repositoriesQuery } from '../../data/project.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyText } from '../../ui/copy-id.tsx';
import { Failure } from '../../ui/failure.tsx';
import { ActsMenu } from '../../ui/menu.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { AttachRepository } from './attach-repository.tsx';
import { Branches } from './branches.tsx';
import { BringCode, BringCodeOfProject } from './bring-code.tsx';
import { MergeTargets } from './merge-targets.tsx';

type Repository = components['schemas']['Repository'];

const UNAVAILABLE: Record<NonNullable<Repository['unavailable_reason']>, string> = {
  installation_gone: 'The app was removed from the account',
  installation_suspended: 'The app is suspended there',
  not_connected: 'The account is not connected to the owner',
  permission_missing: 'The app lacks a permission',
  repository_gone: 'The repository is gone',
  token_refused: 'The token of the connection is refused',
};

const HOST_NAMES: Record<Repository['host'], string> = {
  local: 'This server',
  github: 'GitHub',
  gitea: 'Gitea or Forgejo',
};

/** Where the code of the project is, its branches, and those that tasks are merged into. */
export function ProjectRepositories(): ReactNode {
  const { project: project_id } = useParams({ from: '/signed-in/projects/$project' });
  const { repository: shown } = useSearch({ from: '/signed-in/projects/$project/repositories' });
  const project = useQuery(projectQuery(project_id));
  const repositories = useQuery(repositoriesQuery(project_id));
  const [attaching, setAttaching] = useState(false);
  const [detaching, setDetaching] = useState<Repository>();
  const may = (action: string) => project.data?.available_actions.includes(action) ?? false;
  const rows = repositories.data ?? [];
  const chosen = rows.find(({ id }) => id === shown);
  return (
    <>
      <Section
        title="Repositories"
        actions={
          may('attach_repository') && (
            <Button look="primary" icon="plus" onClick={() => setAttaching(true)}>
              Attach a repository
            </Button>
          )
        }
      >
        {repositories.error && (
          <Failure error={repositories.error} retry={() => void repositories.refetch()} />
        )}
        {repositories.data && rows.length === 0 ? (
          <Empty>
            No repositories yet. The first task makes one on this server; attach one of another host
            before, and tasks work there.
          </Empty>
        ) : (
          <Repositories rows={rows} onDetach={may('update_project') ? setDetaching : undefined} />
        )}
      </Section>
      {chosen && <Branches repository={chosen} />}
      {chosen?.host === 'local' && chosen.full_name !== 'main' ? (
        <BringCode repository={chosen} may={may('update_project')} />
      ) : (
        <BringCodeOfProject projectId={project_id} may={may('update_project')} />
      )}
      {project.data && <MergeTargets projectId={project_id} may={may('set_merge_targets')} />}
      {attaching && project.data && (
        <AttachRepository project={project.data} onClose={() => setAttaching(false)} />
      )}
      {detaching && <Detach repository={detaching} onClose={() => setDetaching(undefined)} />}
    </>
  );
}

function Repositories({
  rows,
  onDetach,
}: {
  rows: readonly Repository[];
  onDetach: ((repository: Repository) => void) | undefined;
}): ReactNode {
  return (
    <Table
      label="Repositories"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          heading: 'Repository',
          cell: (repository) => (
            <div className="flex flex-col items-start gap-1 py-0.5">
              <Link
                to="/projects/$project/repositories"
                params={{ project: repository.project_id }}
                search={{ repository: repository.id }}
                replace
                className="font-medium break-all hover:underline"
              >
                {repository.full_name}
              </Link>
              <span className="text-xs text-muted">
                {HOST_NAMES[repository.host]} · default branch {repository.default_branch}
              </span>
              <span className="text-xs text-muted">
                {repository.used_by_tasks ? 'Tasks work here' : 'Tasks only have it as a submodule'}
              </span>
              {repository.unavailable_reason && (
                <Status state="wrong">{UNAVAILABLE[repository.unavailable_reason]}</Status>
              )}
              <span className="flex max-w-full sm:max-w-md lg:max-w-xl">
                <CopyText line text={cloneCommand(repository)} label="Copy the clone command" />
              </span>
            </div>
          ),
        },
        {
          heading: '',
          align: 'right',
          cell: (repository) => (
            <ActsMenu
              label={`Acts on ${repository.full_name}`}
              acts={
                onDetach
                  ? [{ label: 'Detach', danger: true, onSelect: () => onDetach(repository) }]
                  : []
              }
            />
          ),
        },
      ]}
    />
  );
}

/** A repository of this server takes an API key in a header; GitHub has credentials of its own. */
function cloneCommand({ host, clone_url }: Repository): string {
  return host === 'local'
    ? `git -c http.extraHeader="Authorization: Bearer $KEY" clone ${clone_url}`
    : `git clone ${clone_url}`;
}

function Detach({
  repository,
  onClose,
}: {
  repository: Repository;
  onClose: () => void;
}): ReactNode {
  return (
    <Confirm
      title={`Detach ${repository.full_name}?`}
      submit="Detach"
      act={async () => {
        await guildhall.delete('/api/projects/{project_id}/repositories/{repository_id}', {
          project_id: repository.project_id,
          repository_id: repository.id,
        });
        await refreshProject(repository.project_id);
      }}
      onClose={onClose}
    >
      <p>Its code is not deleted: attach it again under the same name, and it is back.</p>
    </Confirm>
  );
}
