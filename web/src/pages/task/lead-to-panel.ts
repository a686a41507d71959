import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { PanelName } from './panel-names.ts';
import type { Task } from './states.ts';

/**
 * Leads to what a task waits for, when that changes: the plan, the code, or the pull request. Whoever
 * types in what would go away, within `replaced`, is not led; the bar below names the way.
 */
export function useLeadToPanel(task: Task, replaced: string): void {
  const navigate = useNavigate({ from: '/projects/$project/tasks/$task' });
  const panel = panelOf(task);
  const before = useRef(panel);
  useEffect(() => {
    const typing = document.activeElement?.matches(`${replaced} :is(textarea, input)`);
    if (panel !== undefined && panel !== before.current && !typing)
      void navigate({ to: '.', search: (search) => ({ ...search, panel }), replace: true });
    before.current = panel;
  }, [panel, navigate, replaced]);
}

function panelOf({ status, pull_request }: Task): PanelName | undefined {
  if (status === 'awaiting_approval') return 'plan';
  if (status === 'ready') return pull_request === undefined ? 'code' : 'pull-request';
  return undefined;
}
