import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { Failure } from '../../ui/failure.tsx';
import { insteadOf } from '../../ui/instead.ts';
import { Empty } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import type { Task } from './states.ts';

const PATH = '/api/tasks/{task_id}/odoo-instance';
const LOOK_MS = 10_000;

/** What a throwaway Odoo says: its log, and the mails that it wanted to send. Each once it is opened. */
export function InstanceSays({ task }: { task: Task }): ReactNode {
  const may = (action: string) => task.available_actions.includes(action);
  return (
    <>
      {may('list_odoo_instance_mails') && (
        <Folded title="Mails">
          <Mails taskId={task.id} />
        </Folded>
      )}
      {may('get_odoo_instance_log') && (
        <Folded title="Log">
          <Log taskId={task.id} />
        </Folded>
      )}
    </>
  );
}

function Folded({ title, children }: { title: string; children: ReactNode }): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="cursor-pointer py-1 font-medium">{title}</summary>
      {open && children}
    </details>
  );
}

function Log({ taskId: task_id }: { taskId: string }): ReactNode {
  const log = useQuery({
    queryKey: ['task', task_id, 'odoo-instance', 'log'],
    queryFn: ({ signal }) => guildhall.get(`${PATH}/log`, { task_id }, { signal }),
    refetchInterval: LOOK_MS,
  });
  if (insteadOf(log)) return <Failure error={log.error} retry={() => void log.refetch()} />;
  if (log.data === undefined) return null;
  if (log.data.text === '') return <Empty>Nothing was read of its log yet.</Empty>;
  return <Verbatim>{log.data.text}</Verbatim>;
}

function Mails({ taskId: task_id }: { taskId: string }): ReactNode {
  const mails = useQuery({
    queryKey: ['task', task_id, 'odoo-instance', 'mails'],
    queryFn: ({ signal }) =>
      guildhall.list(`${PATH}/mails`, { task_id, limit: 100 }, { signal }).all(),
    refetchInterval: LOOK_MS,
  });
  if (insteadOf(mails)) return <Failure error={mails.error} retry={() => void mails.refetch()} />;
  if (mails.data === undefined) return null;
  if (mails.data.length === 0)
    return (
      <Empty>It has sent no mail. Whatever it sends is caught here, and nobody gets it.</Empty>
    );
  return (
    <ul aria-label="Mails that nobody gets" className="flex flex-col gap-2">
      {mails.data.map((mail) => (
        <li key={mail.id} className="flex flex-col gap-1 rounded-box border border-line p-3">
          <h3 dir="auto" className="break-words font-medium">
            {mail.subject || 'Without a subject'}
          </h3>
          <p dir="auto" className="break-words text-muted">
            {mail.sender} to {mail.recipients.join(', ')}, <Time at={mail.received_at} />
          </p>
          <Verbatim>{mail.text}</Verbatim>
        </li>
      ))}
    </ul>
  );
}

function Verbatim({ children }: { children: string }): ReactNode {
  return (
    <pre
      dir="auto"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the keyboard.
      tabIndex={0}
      className="max-h-80 overflow-auto whitespace-pre-wrap break-words rounded-box border border-line p-2 font-mono text-xs"
    >
      {children}
    </pre>
  );
}
