import Type from 'typebox';
import { onWorkspaceAccount } from '../access/workspace.ts';
import { sql } from '../db/sql.ts';
import { type Listed, listed, page } from '../http/list.ts';
import { cursorInvalid, pages } from '../http/paging.ts';
import { ids, route } from '../http/route.ts';
import { INVOICE_RULES, invoice, invoicesOf } from './invoices/invoice.ts';

/** The invoices and notes of a workspace. */
export const listWorkspaceInvoices = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/billing/invoices',
  area: 'Workspace Billing',
  operationId: 'list_workspace_invoices',
  summary: "List a workspace's invoices",
  description: `The workspace's invoices, for owners and admins only: ${INVOICE_RULES}`,
  access: onWorkspaceAccount('see_billing'),
  params: ids('org_id'),
  query: Type.Object(pages),
  responses: { 200: invoice.listed('Newest first.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>(
      { select: listed(invoicesOf(sql`(select account_id from authorized)`), query) },
      page(url, query.limit),
    ),
});
