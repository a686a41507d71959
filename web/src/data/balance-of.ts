import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { balanceQuery } from './billing.ts';
import { useBilling } from './config.ts';
import { useUser } from './session.ts';
import { workspaceQuery } from './workspace.ts';

type Project = components['schemas']['Project'];

/**
 * The balance that pays for a project: null while it is read, undefined where nothing is paid for
 * and for those who do not see it. `mayAdd`: whether the person may add funds to it.
 */
export function useBalanceOf(project: Project | undefined) {
  const org = project?.organization_id;
  const user = useUser();
  const billing = useBilling();
  const charged = project !== undefined && billing !== 'off';
  const workspace = useQuery({
    ...workspaceQuery(org ?? ''),
    enabled: charged && org !== undefined,
  });
  const may = (action: 'get_workspace_balance' | 'add_workspace_funds') =>
    org === undefined
      ? project?.owner_user_id === user.id
      : (workspace.data?.available_actions.includes(action) ?? false);
  const sees = may('get_workspace_balance');
  const { data, error } = useQuery({
    ...balanceQuery(org),
    enabled: charged && billing !== undefined && sees,
  });
  const unread =
    billing === undefined ||
    (org !== undefined && workspace.isPending) ||
    (sees && error === null && data === undefined);
  return {
    balance: !charged ? undefined : unread ? null : data,
    mayAdd: billing !== 'credits' && may('add_workspace_funds'),
    credits: billing === 'credits',
  };
}
