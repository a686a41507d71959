import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { searchQuery } from '../data/search.ts';
import { shownState } from '../pages/task/states.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { useActs } from './palette-acts.ts';
import { type Entry, fitting, wordsOf } from './palette-entry.ts';
import { usePages } from './palette-pages.ts';
import { plainExcerpt } from './plain-excerpt.ts';

// They are loaded together: each file more is a name more in the shell.
export { Keys } from './keys.tsx';

const MOST_PLACES = 12;
const PAUSE_MS = 150;

/** Goes to a page or a task, or acts on what is open, by a part of its name. */
export default function Palette({
  onClose,
  showKeys,
}: {
  onClose: () => void;
  showKeys: () => void;
}): ReactNode {
  const [text, setText] = useState('');
  const [chosen, choose] = useState(0);
  const list = useId();
  const { here, everywhere } = useActs(showKeys);
  const places = fitting([...here, ...usePages(), ...everywhere], text).slice(0, MOST_PLACES);
  const tasks = useTasks(text);
  const shown = [...places, ...tasks.found];
  const open = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    entry.go();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // The keys of an input method choose among its words.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') open(shown[chosen]);
    else if (event.key === 'ArrowDown') choose(Math.min(chosen + 1, shown.length - 1));
    else if (event.key === 'ArrowUp') choose(Math.max(chosen - 1, 0));
    else return;
    event.preventDefault();
  };
  const group = (label: string, entries: readonly Entry[], first: number) =>
    entries.length > 0 && (
      // biome-ignore lint/a11y/useSemanticElements: a list box has groups of options, not fieldsets
      <div role="group" aria-label={label}>
        <p aria-hidden="true" className="px-2 pt-2 pb-1 text-xs font-medium text-muted">
          {label}
        </p>
        {entries.map((entry, index) => (
          <Option
            key={entry.key}
            id={`${list}-${first + index}`}
            entry={entry}
            words={wordsOf(text)}
            chosen={first + index === chosen}
            onOpen={() => open(entry)}
          />
        ))}
      </div>
    );
  return (
    <Dialog title="Go to, find or do" onClose={onClose}>
      <input
        role="combobox"
        aria-label="Name of a page or an act, or words of a task and its conversation"
        placeholder="A page, an act, or words of a task"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={shown[chosen] && `${list}-${chosen}`}
        autoComplete="off"
        spellCheck="false"
        maxLength={200}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          choose(0);
        }}
        onKeyDown={onKeyDown}
        className="w-full rounded-box border border-edge bg-surface px-2.5 py-1.5 placeholder:text-muted"
      />
      {tasks.error && <Failure error={tasks.error} />}
      <div className="h-[min(24rem,55dvh)] overflow-y-auto">
        <div id={list} role="listbox" aria-label="Pages, acts and tasks">
          {group('Pages and acts', places, 0)}
          {group('Tasks', tasks.found, places.length)}
        </div>
        <p role="status" className="p-2 text-muted">
          {tasks.searching
            ? 'Searching the tasks…'
            : shown.length === 0
              ? 'Nothing has these words.'
              : ''}
        </p>
      </div>
    </Dialog>
  );
}

function Option({
  id,
  entry: { label, kind, excerpt },
  words,
  chosen,
  onOpen,
}: {
  id: string;
  entry: Entry;
  words: readonly string[];
  chosen: boolean;
  onOpen: () => void;
}): ReactNode {
  useEffect(() => {
    if (chosen) document.getElementById(id)?.scrollIntoView({ block: 'nearest' });
  }, [chosen, id]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={chosen}
      onClick={onOpen}
      className="flex cursor-pointer flex-col rounded-box px-2 py-1.5 hover:bg-raised aria-selected:bg-tint"
    >
      <span className="flex justify-between gap-3">
        <span dir="auto" className="min-w-0 truncate">
          {label}
        </span>
        <span dir="auto" className="max-w-[45%] shrink-0 truncate text-muted">
          {kind}
        </span>
      </span>
      {excerpt !== undefined && (
        <span dir="auto" className="truncate text-xs text-muted">
          {marked(excerpt, words)}
        </span>
      )}
    </div>
  );
}

/** The words that were looked for stand out. */
function marked(excerpt: string, words: readonly string[]): ReactNode {
  if (words.length === 0) return excerpt;
  // A group that catches keeps the words between the rest, at every odd place.
  return excerpt.split(new RegExp(`(${words.join('|')})`, 'giu')).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text
      <mark key={index} className="bg-transparent font-semibold text-text">
        {part}
      </mark>
    ),
  );
}

/** The tasks that are found, once the person has paused. */
function useTasks(text: string) {
  const navigate = useNavigate();
  const [asked, ask] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => ask(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { data, error, isFetching } = useQuery(searchQuery(asked));
  const found = wordsOf(text).length === 0 ? [] : (data ?? []);
  return {
    error,
    searching: isFetching && found.length === 0,
    found: found.map(
      ({ task_id, project_id, project_name, title, status, excerpt }): Entry => ({
        key: task_id,
        label: title,
        kind: `${shownState({ status }).word} · ${project_name}`,
        excerpt: excerpt && plainExcerpt(excerpt),
        go: () =>
          void navigate({
            to: '/projects/$project/tasks/$task',
            params: { project: project_id, task: task_id },
          }),
      }),
    ),
  };
}
