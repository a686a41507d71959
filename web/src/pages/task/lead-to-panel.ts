import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { PanelName } from './panel-names.ts';
import type { Task } from './states.ts';

/** Leads to what a task waits for, when that changes: the plan, the code, or the pull request. */
export function useLeadToPanel(task: Task): void {
  const navigate = useNavigate({ from: '/projects/$project/tasks/$task' });
  const panel = panelOf(task);
  const before = useRef(panel);
  useEffect(() => {
    if (panel !== undefined && panel !== before.current)
      void navigate({ to: '.', search: (search) => ({ ...search, panel }), replace: true });
    before.current = panel;
  }, [panel, navigate]);
}

function panelOf({ status, pull_request }: Task): PanelName | undefined {
  if (status === 'awaiting_approval') return 'plan';
  if (status === 'ready') return pull_request === undefined ? 'code' : 'pull-request';
  return undefined;
}
