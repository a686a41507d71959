import { GuildhallError } from '@guildhall/client';
import { type DragEvent, type ReactNode, useId, useRef, useState } from 'react';
import type { Draft } from '../../data/drafts.ts';
import { patiently } from '../../data/patiently.ts';
import type { Upload, Uploads } from '../../data/uploads.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Icon } from '../../ui/icons.tsx';

/**
 * Where a person writes to an agent: the text, which is kept as a draft, its files (chosen, dropped or
 * pasted), and below, in one row, what else goes along. Ctrl and Enter send.
 */
export function ComposerField({
  label,
  placeholder,
  submit,
  rows,
  draft,
  uploads,
  ready = true,
  send,
  labelShown = false,
  children,
}: {
  label: string;
  placeholder: string;
  /** The text of the button. */
  submit: string;
  rows: number;
  draft: Draft;
  /** Undefined for whoever may not attach files. */
  uploads: Uploads | undefined;
  /** Whether it is known where the text goes: before, nothing is sent. */
  ready?: boolean;
  /** What it throws stands above the field, and the text stays. */
  send: (text: string, attachment_ids: string[]) => Promise<void>;
  labelShown?: boolean;
  children?: ReactNode;
}): ReactNode {
  const id = useId();
  const [busy, setBusy] = useState(false);
  const [over, setOver] = useState(false);
  const [error, setError] = useState<unknown>();
  const form = useRef<HTMLFormElement>(null);
  const { text } = draft;
  const empty = text.trim() === '';
  const submitAll = async () => {
    if (empty || busy || !ready || uploads?.busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await send(text, [...(uploads?.ids ?? [])]);
      draft.forget();
      uploads?.clear();
    } catch (refused) {
      setError(await inWords(refused, form.current));
    } finally {
      setBusy(false);
    }
  };
  const drag = (event: DragEvent, isOver: boolean) => {
    if (uploads === undefined || !event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setOver(isOver);
  };
  return (
    <form
      ref={form}
      className={`flex flex-col gap-2 ${over ? 'outline-2 outline-link outline-dashed' : ''}`}
      onSubmit={(event) => {
        event.preventDefault();
        void submitAll();
      }}
      onDragOver={(event) => drag(event, true)}
      onDragLeave={(event) => drag(event, false)}
      onDrop={(event) => {
        drag(event, false);
        uploads?.add(event.dataTransfer.files);
      }}
    >
      {Array.isArray(error) ? (
        <Refusals sentences={error} />
      ) : (
        error !== undefined && <Failure error={error} />
      )}
      <label htmlFor={id} className={labelShown ? 'font-medium' : 'sr-only'}>
        {label}
      </label>
      <textarea
        id={id}
        name={MESSAGE}
        dir="auto"
        rows={rows}
        value={text}
        readOnly={busy}
        placeholder={placeholder}
        onChange={(event) => draft.keep(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submitAll();
        }}
        onPaste={(event) => {
          if (uploads === undefined || event.clipboardData.files.length === 0) return;
          event.preventDefault();
          uploads.add(event.clipboardData.files);
        }}
        className="w-full resize-y rounded-box border border-edge bg-surface px-2.5 py-1.5 placeholder:text-muted"
      />
      {uploads !== undefined && uploads.list.length > 0 && (
        <ul aria-label="Files that go along" className="flex flex-wrap gap-2">
          {uploads.list.map((upload) => (
            <AttachedFile key={upload.key} upload={upload} remove={uploads.remove} />
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-center gap-2">
        {uploads !== undefined && <Attach add={uploads.add} />}
        {children}
        <Button
          type="submit"
          look="primary"
          className="ml-auto"
          busy={busy}
          disabled={empty || !ready || uploads?.busy}
        >
          {submit}
        </Button>
      </div>
    </form>
  );
}

const MESSAGE = 'message';

/** Sentences about refused fields; any other error as it is. */
async function inWords(error: unknown, form: HTMLFormElement | null): Promise<unknown> {
  if (!(error instanceof GuildhallError) || error.fields.length === 0 || form === null)
    return error;
  const { besideFields } = await patiently(() => import('../../ui/refusal.ts'));
  return besideFields(error, form);
}

const Refusals = ({ sentences }: { sentences: readonly string[] }): ReactNode => (
  <div
    role="alert"
    className="rounded-box border border-line bg-wrong-tint p-3 text-wrong wrap-anywhere"
  >
    {sentences.map((sentence) => (
      <p key={sentence}>{sentence}</p>
    ))}
  </div>
);

function Attach({ add }: { add: Uploads['add'] }): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          add(target.files ?? []);
          // The same file can be chosen again.
          target.value = '';
        }}
      />
      <Button look="quiet" icon="file" onClick={() => input.current?.click()}>
        Attach
      </Button>
    </>
  );
}

/** One file: how much of it has been sent, or why it was not. */
function AttachedFile({
  upload: { key, name, sent, id, error },
  remove,
}: {
  upload: Upload;
  remove: Uploads['remove'];
}): ReactNode {
  return (
    <li className="flex max-w-full items-center gap-1.5 rounded-box border border-line bg-raised pl-2 text-xs">
      <Icon
        name={error === undefined ? (id === undefined ? 'clock' : 'file') : 'warning'}
        size={12}
      />
      <span dir="auto" title={name} className="max-w-48 truncate">
        {name}
      </span>
      {error !== undefined && (
        <span role="alert" className="text-wrong">
          {error}
        </span>
      )}
      {error === undefined && id === undefined && (
        <progress
          aria-label={`Sending ${name}`}
          value={sent}
          max={1}
          className="h-1.5 w-16 accent-accent"
        />
      )}
      <IconButton icon="close" label={`Remove ${name}`} onClick={() => remove(key)} />
    </li>
  );
}
