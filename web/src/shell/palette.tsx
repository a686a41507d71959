import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { projectsQuery, workspacesQuery } from '../data/lists.ts';
import { Dialog } from '../ui/dialog.tsx';

interface Place {
  key: string;
  label: string;
  kind: string;
  go: () => void;
}

/** Goes to a page by a part of its name. */
export default function Palette({ onClose }: { onClose: () => void }): ReactNode {
  const [text, setText] = useState('');
  const [chosen, choose] = useState(0);
  const list = useId();
  const places = usePlaces().filter(({ label, kind }) =>
    `${label} ${kind}`.toLowerCase().includes(text.trim().toLowerCase()),
  );
  const shown = places.slice(0, 20);
  const open = (place: Place | undefined) => {
    if (place === undefined) return;
    onClose();
    place.go();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') open(shown[chosen]);
    else if (event.key === 'ArrowDown') choose(Math.min(chosen + 1, shown.length - 1));
    else if (event.key === 'ArrowUp') choose(Math.max(chosen - 1, 0));
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        role="combobox"
        aria-label="Name of a page, workspace or project"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={shown[chosen] && `${list}-${chosen}`}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          choose(0);
        }}
        onKeyDown={onKeyDown}
        className="w-full rounded-box border border-edge bg-surface px-2.5 py-1.5"
      />
      <div id={list} role="listbox" aria-label="Places" className="max-h-80 overflow-y-auto">
        {shown.map((place, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          <div
            key={place.key}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => open(place)}
            className="flex cursor-pointer justify-between gap-3 rounded-box px-2 py-1.5 hover:bg-raised aria-selected:bg-tint"
          >
            <span dir="auto" className="min-w-0 truncate">
              {place.label}
            </span>
            <span className="text-muted">{place.kind}</span>
          </div>
        ))}
        {shown.length === 0 && <p className="p-2 text-muted">Nothing has this name.</p>}
      </div>
    </Dialog>
  );
}

function usePlaces(): Place[] {
  const navigate = useNavigate();
  const workspaces = useQuery(workspacesQuery);
  const projects = useQuery(projectsQuery);
  return [
    { key: 'home', label: 'Home', kind: 'page', go: () => void navigate({ to: '/' }) },
    ...(projects.data ?? []).map(({ id, name }) => ({
      key: id,
      label: name,
      kind: 'project',
      go: () => void navigate({ to: '/projects/$project', params: { project: id } }),
    })),
    ...(workspaces.data ?? []).map(({ id, name }) => ({
      key: id,
      label: name,
      kind: 'workspace',
      go: () => void navigate({ to: '/workspaces/$org', params: { org: id } }),
    })),
  ];
}
