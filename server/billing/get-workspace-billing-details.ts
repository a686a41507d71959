import { onWorkspaceAccount } from '../access/workspace.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { ids, route } from '../http/route.ts';
import { detailsAnswer, detailsOfAccount } from './invoices/details.ts';

/** What invoices to a workspace say of it. */
export const getWorkspaceBillingDetails = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/billing/details',
  area: 'Workspace Billing',
  operationId: 'get_workspace_billing_details',
  summary: "Get a workspace's billing details",
  description:
    'What invoices to the workspace say of it. Owners and admins only. Fields that were never ' +
    'set are omitted.',
  access: onWorkspaceAccount('see_billing'),
  params: ids('org_id'),
  responses: detailsAnswer,
  errors: [],
  handle: ({ statement }) => statement<Shown>(detailsOfAccount, (row) => shownAs(200, row)),
});
