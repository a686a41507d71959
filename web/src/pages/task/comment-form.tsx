import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { MOST_KEPT, useDraft } from '../../data/drafts.ts';
import { refreshTask } from '../../data/task.ts';
import { Form, TextArea } from '../../ui/form.tsx';

/** Where a person writes about lines that are chosen. What is typed stays until it is sent. */
export function CommentForm({
  taskId,
  about,
  field,
  lineText,
  send,
  onDone,
}: {
  taskId: string;
  /** The lines in words. */
  about: string;
  /** Names the lines among the drafts of the task. */
  field: string;
  /** What the last of the lines says. */
  lineText: string;
  send: (text: string) => Promise<unknown>;
  onDone: () => void;
}): ReactNode {
  const draft = useDraft(taskId, field, '', lineText.slice(0, MOST_KEPT));
  const box = useRef<HTMLDivElement>(null);
  // Before it is drawn: whoever sees it may type at once.
  useLayoutEffect(() => box.current?.querySelector('textarea')?.focus(), []);
  return (
    <div ref={box} className="font-sans text-sm">
      <Form
        submit="Comment"
        onCancel={() => {
          draft.forget();
          onDone();
        }}
        onSubmit={async ({ text = '' }) => {
          await send(text);
          draft.forget();
          await refreshTask(taskId);
          // Whoever has chosen other lines meanwhile writes about those.
          if (box.current !== null) onDone();
        }}
      >
        <TextArea
          name="text"
          label={`Comment on ${about}`}
          rows={3}
          required
          maxLength={10_000}
          defaultValue={draft.opened}
          onValueChange={draft.keep}
        />
      </Form>
    </div>
  );
}
