import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Webhooks } from '../webhooks/webhooks.tsx';
import { useWorkspace } from './use-workspace.ts';

/** Where events of a workspace and its projects are sent. */
export function WorkspaceWebhooks(): ReactNode {
  const { id: org } = useWorkspace();
  const { webhook } = useSearch({ from: '/signed-in/workspaces/$org/webhooks' });
  return <Webhooks place={{ org }} chosen={webhook} />;
}
