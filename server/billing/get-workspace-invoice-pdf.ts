import { onWorkspaceInvoice } from '../access/invoice.ts';
import { ids, route } from '../http/route.ts';
import { theInvoice } from './invoices/invoice.ts';
import { PDF_RULES, type PdfAnswer, pdfContract } from './invoices/pdf-answer.ts';

/** An invoice or a note to a workspace, as a file to print. */
export const getWorkspaceInvoicePdf = ({ invoicePdf: answer }: { invoicePdf: PdfAnswer }) =>
  route({
    ...pdfContract,
    method: 'GET',
    path: '/api/organizations/{org_id}/billing/invoices/{invoice_id}/pdf',
    area: 'Workspace Billing',
    operationId: 'get_workspace_invoice_pdf',
    summary: "Get a workspace's invoice as PDF",
    description:
      'An invoice, credit note or debit note to the workspace. Owners and admins only. ' +
      PDF_RULES,
    access: onWorkspaceInvoice('see_billing'),
    params: ids('org_id', 'invoice_id'),
    handle: ({ query: { paper }, params, headers, statement }) =>
      statement<{ item: string }>(theInvoice, ({ item, userId }) =>
        answer({
          item,
          paper,
          known: headers['if-none-match'],
          userId,
          workspaceId: params.org_id,
        }),
      ),
  });
