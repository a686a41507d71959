import { useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Webhooks } from '../webhooks/webhooks.tsx';

/** Where events of a project are sent. */
export function ProjectWebhooks(): ReactNode {
  const { project } = useParams({ from: '/signed-in/projects/$project' });
  const { webhook } = useSearch({ from: '/signed-in/projects/$project/webhooks' });
  return <Webhooks place={{ project }} chosen={webhook} />;
}
