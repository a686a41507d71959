import Type from 'typebox';
import { sql } from '../db/sql.ts';
import { type Listed, listed, page } from '../http/list.ts';
import { cursorInvalid, pages } from '../http/paging.ts';
import { INVOICE_RULES, invoice, invoicesOf } from './invoices/invoice.ts';
import { onBothAccounts } from './on-both-accounts.ts';

/** The invoices and notes of the caller, or of a workspace. */
export const [listInvoices, listWorkspaceInvoices] = onBothAccounts(
  {
    method: 'GET',
    path: '/invoices',
    query: Type.Object(pages),
    responses: { 200: invoice.listed('Newest first.') },
    errors: [cursorInvalid],
    handle: ({ query, url, statement }) =>
      statement<Listed>(
        { select: listed(invoicesOf(sql`(select account_id from authorized)`), query) },
        page(url, query.limit),
      ),
  },
  {
    operationId: 'list_invoices',
    summary: 'List invoices',
    description: `The caller's invoices: ${INVOICE_RULES}`,
  },
  {
    operationId: 'list_workspace_invoices',
    summary: "List a workspace's invoices",
    description: `The workspace's invoices, for owners and admins only: ${INVOICE_RULES}`,
    permission: 'see_billing',
  },
);
