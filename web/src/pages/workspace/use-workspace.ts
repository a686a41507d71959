import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { workspaceQuery } from '../../data/workspace.ts';

/** The workspace of the page; the frame shows a page only when it has been read. */
export function useWorkspace(): components['schemas']['Workspace'] {
  const { org } = useParams({ from: '/signed-in/workspaces/$org' });
  const { data } = useQuery(workspaceQuery(org));
  if (data === undefined) throw new Error('a page of a workspace, without its frame');
  return data;
}
