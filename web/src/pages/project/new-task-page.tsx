import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { Page } from '../../ui/page.tsx';
import { NewTask } from './new-task.tsx';

/** A new task from anywhere: the project is chosen beside the message. */
export function NewTaskPage(): ReactNode {
  const { project } = useSearch({ from: '/signed-in/new-task' });
  const place = useRef<HTMLDivElement>(null);
  // Whoever comes by a key or a link comes to write.
  useEffect(() => place.current?.querySelector('textarea')?.focus(), []);
  return (
    <Page title="New task">
      <div ref={place}>
        <NewTask first={project} />
      </div>
    </Page>
  );
}
