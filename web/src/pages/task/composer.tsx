import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { refreshTask } from '../../data/task.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';

/** Writes to the agent. While it works, messages are queued; Ctrl and Enter send. */
export function Composer({ taskId, working }: { taskId: string; working: boolean }): ReactNode {
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const send = async () => {
    if (text.trim() === '' || busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await guildhall.post('/api/tasks/{task_id}/messages', { task_id: taskId, body: { text } });
      setText('');
      await refreshTask(taskId);
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="flex flex-col gap-2 border-t border-line bg-surface p-3"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {error !== undefined && <Failure error={error} />}
      <div className="flex items-end gap-2">
        <textarea
          aria-label="Message to the agent"
          dir="auto"
          rows={2}
          value={text}
          placeholder={working ? 'Will be read after this turn' : 'Say what to change'}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send();
          }}
          className="min-w-0 flex-1 resize-y rounded-box border border-edge bg-surface px-2.5 py-1.5 placeholder:text-muted"
        />
        <Button type="submit" busy={busy} disabled={text.trim() === ''}>
          {working ? 'Queue' : 'Send'}
        </Button>
      </div>
    </form>
  );
}
