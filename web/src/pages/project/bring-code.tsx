import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { importQuery, refreshProject, repositoriesQuery } from '../../data/project.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { CopyText } from '../../ui/copy-id.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, TextField } from '../../ui/form.tsx';
import { insteadOf } from '../../ui/instead.ts';
import { Refusal } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';

type Repository = components['schemas']['Repository'];
type Import = components['schemas']['RepositoryImport'];

/** How code comes into the repository in which tasks work, while it is empty. */
export function BringCodeOfProject({
  projectId,
  may,
}: {
  projectId: string;
  may: boolean;
}): ReactNode {
  const repositories = useQuery(repositoriesQuery(projectId));
  const rows = repositories.data ?? [];
  const main = rows.find(({ host, full_name }) => host === 'local' && full_name === 'main');
  if (main === undefined || rows.some(({ host }) => host === 'github')) return null;
  return <BringCode repository={main} may={may} />;
}

/** How code comes into an empty repository of this server: by an import, or by a push. */
export function BringCode({
  repository,
  may,
}: {
  repository: Repository;
  may: boolean;
}): ReactNode {
  const query = useQuery(importQuery(repository.project_id, repository.id));
  if (insteadOf(query)) return <Failure error={query.error} retry={() => void query.refetch()} />;
  const { takes_history: takes, import: last } = query.data ?? {};
  const underWay = last?.state === 'queued' || last?.state === 'running';
  if (underWay)
    return (
      <Section title="Import">
        <Progress repository={repository} last={last} may={may} />
      </Section>
    );
  if (takes !== true)
    return last?.notice === undefined ? null : (
      <Section title="Import">
        <p role="status">{last.notice}</p>
      </Section>
    );
  return (
    <Section title={`Bring your code into ${repository.full_name}`}>
      {last?.failure_message !== undefined && (
        <Refusal>The import has failed. {last.failure_message}</Refusal>
      )}
      {may && <ImportForm repository={repository} url={last?.url} />}
      <FirstPush repository={repository} />
    </Section>
  );
}

const PHASES: Record<NonNullable<Import['phase']>, string> = {
  connecting: 'Connecting to the source',
  receiving: 'Receiving',
  checking: 'Checking what was received',
  placing: 'Putting it in place',
};

function Progress({
  repository: { project_id, id: repository_id },
  last,
  may,
}: {
  repository: Repository;
  last: Import;
  may: boolean;
}): ReactNode {
  const [failure, setFailure] = useState<unknown>();
  const megabytes = (last.received_bytes / 1024 / 1024).toFixed(1);
  return (
    <div className="flex flex-col items-start gap-3">
      <p role="status">
        {last.phase === undefined ? 'Waiting for a worker' : PHASES[last.phase]}:{' '}
        <span className="break-all">{last.url}</span>, {megabytes} MiB received
      </p>
      {failure !== undefined && <Failure error={failure} />}
      {may && last.phase !== 'placing' && (
        <ActButton
          onFailure={setFailure}
          act={async () => {
            await guildhall.delete(
              '/api/projects/{project_id}/repositories/{repository_id}/import',
              { project_id, repository_id },
            );
            await refreshProject(project_id);
          }}
        >
          Cancel the import
        </ActButton>
      )}
    </div>
  );
}

function ImportForm({
  repository: { project_id, id: repository_id },
  url,
}: {
  repository: Repository;
  url: string | undefined;
}): ReactNode {
  return (
    <Form
      submit="Import"
      onSubmit={async ({ url = '', username = '', password = '' }) => {
        await guildhall.post('/api/projects/{project_id}/repositories/{repository_id}/import', {
          project_id,
          repository_id,
          body: {
            url: url.trim(),
            ...(username === '' ? {} : { username }),
            ...(password === '' ? {} : { password }),
          },
        });
        await refreshProject(project_id);
      }}
    >
      <TextField
        name="url"
        label="Address of the repository"
        inputMode="url"
        required
        defaultValue={url ?? ''}
        placeholder="https://github.com/owner/name.git"
        hint="All branches and tags are imported."
      />
      <TextField name="username" label="User name" autoComplete="off" hint="Mostly not needed." />
      <TextField
        name="password"
        label="Access token or password"
        type="password"
        autoComplete="off"
        hint="For a private repository. It is forgotten when the import has ended."
      />
    </Form>
  );
}

/** The lines that a person enters in the folder of their repository. */
function FirstPush({ repository: { clone_url, default_branch } }: { repository: Repository }) {
  const lines = [
    'read -rs KEY',
    `git remote add guildhall ${clone_url}`,
    `git -c http.extraHeader="Authorization: Bearer $KEY" push --force guildhall HEAD:${default_branch}`,
  ];
  return (
    <div className="mt-4 flex flex-col items-start gap-1">
      <p>
        Or push what you have on your disk, once, if you may merge into {default_branch}. The first
        line reads an API key of yours.
      </p>
      {lines.map((line) => (
        <CopyText key={line} text={line} label="Copy the line" />
      ))}
    </div>
  );
}
