import { onWorkspaceInvoice } from '../access/invoice.ts';
import { ids, route } from '../http/route.ts';
import { invoice, theInvoice } from './invoices/invoice.ts';

/** An invoice or a note to a workspace. */
export const getWorkspaceInvoice = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/billing/invoices/{invoice_id}',
  area: 'Workspace Billing',
  operationId: 'get_workspace_invoice',
  summary: "Get a workspace's invoice",
  description: 'An invoice, credit note or debit note to the workspace. Owners and admins only.',
  access: onWorkspaceInvoice('see_billing'),
  params: ids('org_id', 'invoice_id'),
  responses: { 200: invoice.shown('The invoice.', []) },
  errors: [],
  handle: ({ statement }) =>
    statement<{ item: string }>(theInvoice, ({ item }) => ({ status: 200, body: item })),
});
