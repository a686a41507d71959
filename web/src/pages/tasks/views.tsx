import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useUser } from '../../data/session.ts';
import { writeStored } from '../../data/storage.ts';
import { readStoredJson } from '../../data/stored-items.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, TextField } from '../../ui/form.tsx';
import type { BoardSearch } from './board-search.ts';
import { boardSearch } from './board-search.ts';

/** Filters of the board that a person has given a name. */
interface View {
  name: string;
  search: BoardSearch;
}

const MOST = 20;

/** Views of one person in this browser; what else stands in its storage is as if it were not there. */
function storedViews(key: string): View[] {
  const found = readStoredJson(key);
  if (!Array.isArray(found)) return [];
  return found
    .filter((view) => typeof view?.name === 'string' && typeof view.search === 'object')
    .slice(0, MOST)
    .map(({ name, search }) => ({ name, search: boardSearch(search ?? {}) }));
}

export function Views({ search }: { search: BoardSearch }): ReactNode {
  const key = `guildhall-task-views:${useUser().id}`;
  const [views, setViews] = useState(() => storedViews(key));
  const [naming, setNaming] = useState(false);
  const keep = (next: View[]) => {
    writeStored(key, JSON.stringify(next));
    setViews(next);
  };
  const filtered = Object.values(search).some((value) => value !== undefined);
  return (
    <div className="flex flex-wrap items-center gap-2">
      {views.length > 0 && (
        <ul aria-label="Saved views" className="flex flex-wrap gap-2">
          {views.map((view) => (
            <li
              key={view.name}
              className="flex items-center rounded-box border border-line bg-surface pl-2"
            >
              <Link
                to="/tasks"
                search={view.search}
                dir="auto"
                className="max-w-48 truncate py-1 hover:underline"
              >
                {view.name}
              </Link>
              <IconButton
                icon="close"
                label={`Remove the view ${view.name}`}
                onClick={() => keep(views.filter(({ name }) => name !== view.name))}
              />
            </li>
          ))}
        </ul>
      )}
      {filtered && views.length < MOST && (
        <Button icon="plus" onClick={() => setNaming(true)}>
          Save this view
        </Button>
      )}
      {naming && (
        <Dialog title="Save this view" onClose={() => setNaming(false)}>
          <Form
            submit="Save"
            onCancel={() => setNaming(false)}
            onSubmit={async ({ name = '' }) => {
              const others = views.filter((view) => view.name !== name.trim());
              keep([...others, { name: name.trim(), search }]);
              setNaming(false);
            }}
          >
            <TextField
              name="name"
              label="Name"
              maxLength={60}
              pattern=".*\S.*"
              required
              dir="auto"
              hint="Kept in this browser, for you alone. A view of the same name is replaced."
            />
          </Form>
        </Dialog>
      )}
    </div>
  );
}
