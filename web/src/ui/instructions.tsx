import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Failure } from './failure.tsx';
import { Form, TextArea } from './form.tsx';
import { Notice } from './notice.tsx';
import { Section } from './page.tsx';

/** The instructions of a workspace or project, with a form for its admins. */
export function Instructions({
  of,
  query,
  may,
  save,
}: {
  of: 'workspace' | 'project';
  query: UseQueryResult<{ text: string; etag: string | undefined }>;
  may: boolean;
  save: (text: string, etag: string | undefined) => Promise<unknown>;
}): ReactNode {
  const [saved, setSaved] = useState(false);
  if (query.error) return <Failure error={query.error} retry={() => void query.refetch()} />;
  if (query.data === undefined) return null;
  const { text, etag } = query.data;
  return (
    <Section title="Instructions for agents">
      {saved && <Notice onClose={() => setSaved(false)}>The instructions are saved.</Notice>}
      <fieldset disabled={!may} className="contents">
        {/* The form begins anew when the text has changed. */}
        <Form
          key={etag}
          submit="Set the instructions"
          disabled={!may}
          onSubmit={async (values) => {
            setSaved(false);
            await save(values.text ?? '', etag);
            await query.refetch();
            setSaved(true);
          }}
        >
          <TextArea
            name="text"
            label="Instructions for every agent"
            rows={8}
            defaultValue={text}
            maxLength={20_000}
            hint={`Each new session in this ${of} begins with it. Agents also read AGENTS.md of the repository.`}
          />
        </Form>
      </fieldset>
    </Section>
  );
}
