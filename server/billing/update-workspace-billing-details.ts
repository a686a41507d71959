import { onWorkspaceAccount } from '../access/workspace.ts';
import { ids, route } from '../http/route.ts';
import { DETAILS_RULES, detailsContract, updateDetails } from './invoices/details.ts';

/** Changes what later invoices to a workspace say of it. */
export const updateWorkspaceBillingDetails = route({
  ...detailsContract,
  method: 'PUT',
  path: '/api/organizations/{org_id}/billing/details',
  area: 'Workspace Billing',
  operationId: 'update_workspace_billing_details',
  summary: "Update a workspace's billing details",
  description:
    `Changes what later invoices to the workspace say of it. Owners and admins only. ` +
    DETAILS_RULES,
  access: onWorkspaceAccount('add_funds'),
  params: ids('org_id'),
  handle: updateDetails,
});
