import type { components } from '@guildhall/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { configQuery } from '../../data/config.ts';
import { projectQuery, refreshProject } from '../../data/project.ts';
import { queries } from '../../data/queries.ts';
import { sendFile } from '../../data/send-file.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { CheckField, Form, SelectField, TextField } from '../../ui/form.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { type State, Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import type { Project } from './project.ts';

type Dump = components['schemas']['OdooDump'];

const PATH = '/api/projects/{project_id}/odoo-dump';

const STATES: Record<Dump['status'], { shown: State; word: string }> = {
  preparing: { shown: 'working', word: 'Being prepared' },
  ready: { shown: 'done', word: 'Ready' },
  failed: { shown: 'wrong', word: 'Failed' },
};

const dumpQuery = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'odoo-dump'],
    queryFn: ({ signal }) => guildhall.get(PATH, { project_id }, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'preparing' ? 2_000 : 30_000),
  });

/** The database that throwaway Odoos of a project start from. Where this server prepares none, nothing. */
export function ErpDump({ project }: { project: Project }): ReactNode {
  const { id: project_id, available_actions } = project;
  const may = (action: string) => available_actions.includes(action);
  const has = may('get_odoo_dump');
  const config = useQuery(configQuery);
  const dump = useQuery({ ...dumpQuery(project_id), enabled: has });
  const [open, setOpen] = useState<'upload' | 'delete'>();
  const close = () => setOpen(undefined);
  const uploads = may('upload_odoo_dump') && config.data?.features.erp_dumps === true;
  if (!has && !uploads) return null;
  return (
    <Section
      title="Odoo database"
      actions={
        uploads && (
          <Button icon="plus" onClick={() => setOpen('upload')}>
            {has ? 'Replace the dump' : 'Upload a dump'}
          </Button>
        )
      }
    >
      <p className="max-w-prose text-muted">
        Throwaway Odoos can start from a backup of a database of yours instead of an empty one. It
        is neutralised first: scheduled actions, mail servers and payment providers are off, and
        passwords and keys are gone.
      </p>
      {dump.error && has && <Failure error={dump.error} retry={() => void dump.refetch()} />}
      {has && dump.data ? (
        <Shown dump={dump.data}>
          {may('delete_odoo_dump') && <Button onClick={() => setOpen('delete')}>Delete it</Button>}
        </Shown>
      ) : (
        !has && <Empty>No dump yet: throwaway Odoos start empty, or with demo data.</Empty>
      )}
      {open === 'upload' && <Upload project={project} has={has} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title="Delete the dump?"
          submit="Delete the dump"
          act={async () => {
            await guildhall.delete(PATH, { project_id });
            // The project says that there is none: nothing asks for it any more.
            await queries.refetchQueries({
              queryKey: projectQuery(project_id).queryKey,
              exact: true,
            });
          }}
          onClose={close}
        >
          <p>
            What was prepared of it is deleted, too, and throwaway Odoos start empty again. Those
            that run keep their copy until they end or are reset.
          </p>
        </Confirm>
      )}
    </Section>
  );
}

function Shown({ dump, children }: { dump: Dump; children: ReactNode }): ReactNode {
  const { status, reason, erp_version, size, production, created_at } = dump;
  const { shown, word } = STATES[status];
  return (
    <div className="flex flex-col gap-1.5 rounded-box border border-line p-3">
      <p role="status" className="flex flex-wrap items-center gap-2">
        <Status state={shown}>{word}</Status>
        <span className="text-muted">
          Odoo {erp_version}, {Math.ceil(size / 1024 ** 2).toLocaleString('en')} MiB, uploaded{' '}
          <Time at={created_at} />
        </span>
      </p>
      {reason !== undefined && <p className={status === 'failed' ? 'text-wrong' : ''}>{reason}</p>}
      {status === 'preparing' && (
        <p className="text-muted">Throwaway Odoos that are started now wait for it.</p>
      )}
      {production && (
        <p className="text-muted">
          A copy of a production system, which a person has approved: neutralised, with its data.
        </p>
      )}
      <div className="flex flex-wrap gap-2">{children}</div>
    </div>
  );
}

function Upload({
  project: { id: project_id, erp_version },
  has,
  onClose,
}: {
  project: Project;
  has: boolean;
  onClose: () => void;
}): ReactNode {
  const file = useRef<File>(undefined);
  const request = useRef<XMLHttpRequest>(undefined);
  /** Nothing is said of it until a person does. */
  const [production, setProduction] = useState<boolean>();
  const [approved, setApproved] = useState(false);
  const [sent, setSent] = useState<number>();
  const cancel = () => {
    request.current?.abort();
    onClose();
  };
  async function upload(): Promise<void> {
    if (file.current === undefined) return;
    request.current = new XMLHttpRequest();
    setSent(0);
    const query = `production=${production}&approve_production=${production === true && approved}`;
    try {
      await sendFile(request.current, {
        method: 'PUT',
        path: `/api/projects/${project_id}/odoo-dump?${query}`,
        type: 'application/zip',
        file: file.current,
        onProgress: setSent,
      });
    } finally {
      setSent(undefined);
    }
    await refreshProject(project_id);
    onClose();
  }
  return (
    <Dialog title={has ? 'Replace the dump' : 'Upload a dump'} onClose={cancel}>
      <Form
        submit="Upload it"
        onCancel={cancel}
        onSubmit={upload}
        disabled={production === undefined || (production && !approved)}
      >
        <TextField
          name="body"
          label="Backup"
          type="file"
          accept=".zip,application/zip"
          required
          hint={`A zip of Odoo ${erp_version} with its filestore, as its database manager, "odoo db dump" and Odoo.sh make it.`}
          onChange={(event) => {
            file.current = event.target.files?.[0];
          }}
        />
        <SelectField
          name="production"
          label="Where it is from"
          options={[
            { value: '', label: 'Choose one' },
            { value: 'no', label: 'A test or demonstration system' },
            { value: 'yes', label: 'A production system' },
          ]}
          onChange={(from) => setProduction(from === '' ? undefined : from === 'yes')}
        />
        {production && (
          <CheckField
            name="approve_production"
            label="I approve that members and agents of this project work with a copy of its data"
            hint="Neutralising switches off what acts by itself. Customers, prices and documents stay as they are."
            onChange={(event) => setApproved(event.target.checked)}
          />
        )}
        {sent !== undefined && (
          <p role="status" className="text-muted">
            {sent < 1 ? `${Math.floor(sent * 100)} % sent` : 'Sent; it is being checked'}
          </p>
        )}
      </Form>
    </Dialog>
  );
}
