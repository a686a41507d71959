import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Anew } from './anew.tsx';
import { Failure } from './failure.tsx';
import { Form, TextArea } from './form.tsx';
import { insteadOf } from './instead.ts';
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
  if (insteadOf(query)) return <Failure error={query.error} retry={() => void query.refetch()} />;
  if (query.data === undefined) return null;
  return (
    <Section title="Instructions for agents">
      {saved && <Notice onClose={() => setSaved(false)}>The instructions are saved.</Notice>}
      <fieldset disabled={!may} className="contents">
        <Anew read={query.data} version={query.data.etag} textOf={({ text }) => text}>
          {({ text, etag }, sent) => (
            <Form
              submit="Set the instructions"
              disabled={!may}
              onSubmit={async (values) => {
                setSaved(false);
                try {
                  await save(values.text ?? '', etag);
                  sent();
                  setSaved(true);
                } finally {
                  await query.refetch();
                }
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
          )}
        </Anew>
      </fieldset>
    </Section>
  );
}
