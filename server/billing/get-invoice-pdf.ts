import { onOwnInvoice } from '../access/invoice.ts';
import { forbidden, notFound } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { theInvoice } from './invoices/invoice.ts';
import { PDF_RULES, type PdfAnswer, pdfContract } from './invoices/pdf-answer.ts';

/** An invoice or a note to the caller, as a file to print. */
export const getInvoicePdf = ({ invoicePdf: answer }: { invoicePdf: PdfAnswer }) =>
  route({
    ...pdfContract,
    method: 'GET',
    path: '/api/billing/invoices/{invoice_id}/pdf',
    area: 'Billing',
    operationId: 'get_invoice_pdf',
    summary: 'Get an invoice as PDF',
    description: `An invoice, credit note or debit note to the caller. ${PDF_RULES}`,
    access: onOwnInvoice,
    params: ids('invoice_id'),
    errors: [...pdfContract.errors, notFound, forbidden],
    handle: ({ query: { paper }, headers, statement }) =>
      statement<{ item: string }>(theInvoice, ({ item, userId }) =>
        answer({ item, paper, known: headers['if-none-match'], userId }),
      ),
  });
