import { useNavigate } from '@tanstack/react-router';
import { useLayoutEffect } from 'react';
import { isTyping } from '../ui/row-keys.ts';

/** `c` begins a task, in the project of the page if it has one; not while one types. */
export function useNewTaskKey(): void {
  const navigate = useNavigate();
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== 'c' || isTyping(event) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      const [, project] = /^\/projects\/([^/]+)/.exec(location.pathname) ?? [];
      void navigate({ to: '/new-task', search: { project } });
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [navigate]);
}
