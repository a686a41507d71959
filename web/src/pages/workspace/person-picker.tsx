import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { type Member, membersQuery } from '../../data/workspace.ts';

/** A member who was chosen. */
export interface Chosen {
  id: string;
  name: string;
  /** The name and the address, by which people of one name are told apart. */
  label: string;
}

export interface Choice {
  org: string;
  /** What stands there while no one is chosen. */
  placeholder: string;
  /** Who can be chosen; everyone, without it. */
  only?: (member: Member) => boolean;
  onChoose?: (chosen: Chosen | undefined) => void;
}

/**
 * Finds a member by a part of the name or address. The server looks, because a workspace may have
 * thousands of members; the first who fit stand below the field.
 */
export function PersonPicker({
  org,
  placeholder,
  only = () => true,
  onChoose,
  first,
  name,
  className,
  ...rest
}: Choice & {
  /** Who is chosen at first. */
  first?: Chosen | undefined;
  /** The field of a form that holds the id. */
  name?: string;
  className: string;
  id?: string;
  'aria-label'?: string;
}): ReactNode {
  const [chosen, setChosen] = useState(first);
  const [text, setText] = useState(first?.label ?? '');
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const list = useId();
  const q = text === chosen?.label ? '' : text.trim();
  const { data, error } = useQuery({ ...membersQuery(org, q), enabled: open });
  const found = (data?.items ?? []).filter(only).map(asChosen);
  const expanded = open && found.length > 0;
  useEffect(() => {
    if (expanded) document.getElementById(`${list}-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [expanded, list, at]);

  function choose(person: Chosen | undefined): void {
    setChosen(person);
    setText(person?.label ?? '');
    setOpen(false);
    onChoose?.(person);
  }

  function onKeyDown(event: KeyboardEvent): void {
    // The keys of an input method choose among its words.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown' && !open) setOpen(true);
    else if (event.key === 'ArrowDown') setAt(Math.min(at + 1, found.length - 1));
    else if (event.key === 'ArrowUp' && open) setAt(Math.max(at - 1, 0));
    else if (event.key === 'Enter' && open) {
      if (found[at] !== undefined) choose(found[at]);
    }
    // It closes the list, and not the dialog around it.
    else if (event.key === 'Escape' && open) setOpen(false);
    else return;
    event.preventDefault();
  }

  return (
    <div className="relative min-w-0">
      {name !== undefined && <input type="hidden" name={name} value={chosen?.id ?? ''} />}
      <input
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={expanded}
        aria-controls={expanded ? list : undefined}
        aria-activedescendant={expanded ? `${list}-${at}` : undefined}
        autoComplete="off"
        dir="auto"
        placeholder={placeholder}
        value={text}
        onClick={() => setOpen(true)}
        onChange={(event) => {
          if (event.target.value === '' && chosen !== undefined) choose(undefined);
          setText(event.target.value);
          setAt(0);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          setOpen(false);
          setText(chosen?.label ?? '');
        }}
        className={className}
        {...rest}
      />
      <div
        className={`absolute z-20 mt-1 w-full min-w-56 rounded-box border border-line bg-surface py-1 shadow-lg ${open ? '' : 'hidden'}`}
      >
        <p role="status" className="px-3 py-1 text-xs text-muted empty:hidden">
          {sayOf(found.length, data?.next !== undefined, data !== undefined, error)}
        </p>
        {expanded && (
          <div
            id={list}
            role="listbox"
            aria-label="People who fit"
            className="max-h-60 overflow-y-auto"
          >
            {found.map((person, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
              <div
                key={person.id}
                id={`${list}-${index}`}
                role="option"
                tabIndex={-1}
                dir="auto"
                aria-selected={index === at}
                // The field keeps the focus.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(person)}
                className="cursor-pointer truncate px-3 py-1.5 hover:bg-raised aria-selected:bg-tint"
              >
                {person.label}
              </div>
            ))}
          </div>
        )}
      </div>
    </div>
  );
}

const asChosen = ({ user_id, name, email }: Member): Chosen => ({
  id: user_id,
  name: name ?? email,
  label: name === undefined ? email : `${name} (${email})`,
});

function sayOf(found: number, more: boolean, isRead: boolean, error: unknown): string | undefined {
  if (error) return 'The members could not be read. Type again.';
  if (more) return 'These are the first. Type a part of the name to find others.';
  return isRead && found === 0 ? 'No one fits.' : undefined;
}
