import type { TObject } from 'typebox';
import { ownAccount } from '../access/account.ts';
import type { Permission } from '../access/roles.ts';
import { onWorkspaceAccount } from '../access/workspace.ts';
import { type Access, type BodySchema, ids, type Route, route } from '../http/route.ts';

/** The account that an operation is about; the workspace too, where it is one's. */
interface OfAccount {
  account_id: string;
  organization_id?: string;
}

type Named = 'operationId' | 'summary' | 'description';

/** What the operation on one kind of account has of its own. */
type Words = Pick<Route, Named | 'sample' | 'auditDenied'>;

type Shared<Query extends TObject | undefined, Body extends BodySchema | undefined> = Omit<
  Route<undefined, Query, Body, OfAccount>,
  Named | 'area' | 'access' | 'params'
> & {
  locks?: Access<never, unknown>['locks'];
};

/**
 * Declares an operation twice: on the caller's own balance, and on that of a workspace, for members
 * who have the permission. `path` is what follows `/api/billing` and
 * `/api/organizations/{org_id}/billing`.
 */
export function onBothAccounts<
  Query extends TObject | undefined = undefined,
  Body extends BodySchema | undefined = undefined,
>(
  { locks, path, ...shared }: Shared<Query, Body>,
  own: Words,
  { permission, ...workspace }: Words & { permission: Permission },
): [own: Route, workspace: Route] {
  const withLocks = (access: object) => ({ ...access, ...(locks && { locks }) }) as never;
  return [
    route<OfAccount, undefined, Query, Body>({
      ...shared,
      ...own,
      path: `/api/billing${path}`,
      area: 'Billing',
      access: withLocks(ownAccount),
    }),
    route<OfAccount, undefined, Query, Body>({
      ...shared,
      ...workspace,
      path: `/api/organizations/{org_id}/billing${path}`,
      area: 'Workspace Billing',
      access: withLocks(onWorkspaceAccount(permission)),
      // Of which the shared part reads nothing.
      params: ids('org_id') as never,
    }),
  ];
}
