import type { components } from '@guildhall/client';
import type { ReactNode } from 'react';
import { useDraft } from '../../data/drafts.ts';
import { Form, TextArea } from '../../ui/form.tsx';

/** Where a person answers a question of the agent in words of their own. */
export function AnswerForm({
  request,
  answer,
}: {
  request: components['schemas']['AgentRequest'];
  answer: (text: string) => Promise<unknown>;
}): ReactNode {
  const draft = useDraft(request.task_id, `answer ${request.id}`);
  return (
    <Form
      submit="Answer"
      onSubmit={async ({ text = '' }) => {
        await answer(text);
        draft.forget();
      }}
    >
      <TextArea
        name="text"
        label="Your answer"
        rows={2}
        required
        defaultValue={draft.opened}
        onValueChange={draft.keep}
      />
    </Form>
  );
}
