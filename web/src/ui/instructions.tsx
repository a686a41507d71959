import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useDraft } from '../data/drafts.ts';
import { Anew } from './anew.tsx';
import { Failure } from './failure.tsx';
import { Form, TextArea } from './form.tsx';
import { insteadOf } from './instead.ts';
import { Notice } from './notice.tsx';
import { Section } from './page.tsx';

interface Text {
  text: string;
  etag: string | undefined;
}

interface Shown {
  of: 'workspace' | 'project';
  /** The id of the workspace or project. */
  place: string;
  may: boolean;
  save: (text: string, etag: string | undefined) => Promise<unknown>;
}

/** The instructions of a workspace or project, with a form for its admins. */
export function Instructions({
  query,
  ...shown
}: Shown & { query: UseQueryResult<Text> }): ReactNode {
  const [saved, setSaved] = useState(false);
  if (insteadOf(query)) return <Failure error={query.error} retry={() => void query.refetch()} />;
  if (query.data === undefined) return null;
  return (
    <Section title="Instructions for agents">
      {saved && <Notice onClose={() => setSaved(false)}>The instructions are saved.</Notice>}
      <fieldset disabled={!shown.may} className="contents">
        <InstructionsForm
          key={shown.place}
          {...shown}
          read={query.data}
          save={async (text, etag) => {
            setSaved(false);
            await shown.save(text, etag);
            setSaved(true);
          }}
          refetch={query.refetch}
        />
      </fieldset>
    </Section>
  );
}

/** What was typed and not saved is there again, and so is the version that it was about. */
function InstructionsForm({
  of,
  place,
  may,
  save,
  read,
  refetch,
}: Shown & { read: Text; refetch: () => Promise<unknown> }): ReactNode {
  const draft = useDraft(place, 'instructions', read.text);
  const base = useDraft(place, 'base of instructions');
  const [unsent, setUnsent] = useState(
    !may || draft.opened === read.text ? undefined : base.text || read.etag,
  );
  const forget = () => {
    setUnsent(undefined);
    draft.forget();
    base.forget();
  };
  return (
    <Anew
      read={read}
      version={read.etag}
      textOf={({ text }) => text}
      unsent={unsent}
      onDiscard={forget}
    >
      {({ text, etag }, sent) => (
        <Form
          submit="Set the instructions"
          disabled={!may}
          onSubmit={async (values) => {
            try {
              await save(values.text ?? '', etag);
              forget();
              sent();
            } finally {
              await refetch();
            }
          }}
        >
          <TextArea
            name="text"
            label="Instructions for every agent"
            rows={8}
            defaultValue={unsent === undefined ? text : draft.opened}
            onValueChange={(typed) => {
              draft.keep(typed);
              base.keep(etag ?? '');
            }}
            maxLength={20_000}
            hint={`Each new session in this ${of} begins with it. Agents also read AGENTS.md of the repository.`}
          />
        </Form>
      )}
    </Anew>
  );
}
