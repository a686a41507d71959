import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { queries } from '../../data/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, TextField } from '../../ui/form.tsx';
import type { Project } from './project.ts';

interface Receipt {
  tasks_deleted: number;
  pods_stopped: number;
  files_deleted: number;
  bytes_freed: number;
}

const count = new Intl.NumberFormat('en');

/** Deletes a project after its name was typed, and shows what went with it. */
export function DeleteProject({
  project,
  onClose,
}: {
  project: Project;
  onClose: () => void;
}): ReactNode {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [receipt, setReceipt] = useState<Receipt>();

  async function leave(): Promise<void> {
    await navigate({ to: '/' });
    queries.removeQueries({ queryKey: ['project', project.id] });
  }
  if (receipt)
    return (
      <Dialog title="The project is deleted" onClose={() => void leave()}>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
          <dt className="text-muted">Tasks</dt>
          <dd>{count.format(receipt.tasks_deleted)}</dd>
          <dt className="text-muted">Pods that were stopped</dt>
          <dd>{count.format(receipt.pods_stopped)}</dd>
          <dt className="text-muted">Files</dt>
          <dd>
            {count.format(receipt.files_deleted)} ({count.format(receipt.bytes_freed)} bytes)
          </dd>
        </dl>
        <div>
          <Button look="primary" onClick={() => void leave()}>
            Go to the first page
          </Button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title="Delete this project?" onClose={onClose}>
      <p>
        Its {count.format(project.task_count)} tasks go with it, with their plans, files and the
        roles of people. What it has cost stays in the ledger. It cannot be undone.
      </p>
      <Form
        submit="Delete the project"
        look="danger"
        disabled={typed.trim() !== project.name}
        onCancel={onClose}
        onSubmit={async () => {
          const { data } = await guildhall
            .delete('/api/projects/{project_id}', { project_id: project.id })
            .withResponse();
          setReceipt(data);
          await queries.invalidateQueries({ queryKey: ['projects'] });
        }}
      >
        <TextField
          name="typed_name"
          label={`Type the name of the project: ${project.name}`}
          dir="auto"
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
      </Form>
    </Dialog>
  );
}
