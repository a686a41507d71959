import { DETAILS_RULES, detailsContract, updateDetails } from './invoices/details.ts';
import { onBothAccounts } from './on-both-accounts.ts';

/** Changes what later invoices to the caller, or to a workspace, say of them. */
export const [updateBillingDetails, updateWorkspaceBillingDetails] = onBothAccounts(
  {
    ...detailsContract,
    method: 'PUT',
    path: '/details',
    handle: updateDetails,
  },
  {
    operationId: 'update_billing_details',
    summary: 'Update the billing details',
    description: `Changes what later invoices to the caller say of them. ${DETAILS_RULES}`,
  },
  {
    operationId: 'update_workspace_billing_details',
    summary: "Update a workspace's billing details",
    description:
      'Changes what later invoices to the workspace say of it. Owners and admins only. ' +
      DETAILS_RULES,
    permission: 'add_funds',
  },
);
