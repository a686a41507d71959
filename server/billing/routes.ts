import type { Route } from '../http/route.ts';
import type { BillingMode } from '../platform/config/config.ts';
import { addFunds } from './add-funds.ts';
import { addWorkspaceFunds } from './add-workspace-funds.ts';
import { beginTopUp } from './begin-top-up.ts';
import { beginWorkspaceTopUp } from './begin-workspace-top-up.ts';
import { cancelTopUp } from './cancel-top-up.ts';
import { cardRoutes } from './card-routes.ts';
import type { CardSetups } from './cards/card-setups.ts';
import { completeTopUp } from './complete-top-up.ts';
import { exportTransactions } from './export-transactions.ts';
import { exportWorkspaceTransactions } from './export-workspace-transactions.ts';
import { getAutoReload } from './get-auto-reload.ts';
import { getBalance } from './get-balance.ts';
import { getBillingDetails } from './get-billing-details.ts';
import { getInvoice } from './get-invoice.ts';
import { getInvoicePdf } from './get-invoice-pdf.ts';
import { getSpendLimits } from './get-spend-limits.ts';
import { getWorkspaceAutoReload } from './get-workspace-auto-reload.ts';
import { getWorkspaceBalance } from './get-workspace-balance.ts';
import { getWorkspaceBillingDetails } from './get-workspace-billing-details.ts';
import { getWorkspaceInvoice } from './get-workspace-invoice.ts';
import { getWorkspaceInvoicePdf } from './get-workspace-invoice-pdf.ts';
import { getWorkspaceSpendLimits } from './get-workspace-spend-limits.ts';
import type { PdfAnswer } from './invoices/pdf-answer.ts';
import { listInvoices } from './list-invoices.ts';
import { listTransactions } from './list-transactions.ts';
import { listWorkspaceInvoices } from './list-workspace-invoices.ts';
import { listWorkspaceTransactions } from './list-workspace-transactions.ts';
import { needsCards } from './mode/card-refusals.ts';
import type { TopUpLimits } from './top-ups/top-up.ts';
import type { TopUps } from './top-ups/top-ups.ts';
import { updateAutoReload } from './update-auto-reload.ts';
import { updateBillingDetails } from './update-billing-details.ts';
import { updateSpendLimits } from './update-spend-limits.ts';
import { updateWorkspaceAutoReload } from './update-workspace-auto-reload.ts';
import { updateWorkspaceBillingDetails } from './update-workspace-billing-details.ts';
import { updateWorkspaceSpendLimits } from './update-workspace-spend-limits.ts';

/** `mode`: how work is paid for; whether cards are taken depends on it. */
export const billingRoutes = (
  topUps: TopUps,
  setups: CardSetups,
  limits: TopUpLimits,
  pdf: PdfAnswer,
  mode: BillingMode | undefined,
) => {
  const card = (operation: Route) => needsCards(operation, mode);
  const reload = (operation: Route) =>
    needsCards(operation, mode, (body) => (body as { enabled?: boolean }).enabled === false);
  return [
    getBalance,
    card(addFunds(topUps, limits)),
    ...cardRoutes(setups, mode),
    card(beginTopUp(topUps, limits, setups.publishableKey)),
    completeTopUp(topUps, setups.publishableKey),
    cancelTopUp(topUps, setups.publishableKey),
    listTransactions,
    exportTransactions,
    getAutoReload,
    reload(updateAutoReload(limits)),
    getBillingDetails,
    getInvoice,
    getInvoicePdf(pdf),
    getSpendLimits,
    listInvoices,
    updateBillingDetails,
    updateSpendLimits,
    getWorkspaceBalance,
    card(addWorkspaceFunds(topUps, limits)),
    card(beginWorkspaceTopUp(topUps, limits, setups.publishableKey)),
    listWorkspaceTransactions,
    exportWorkspaceTransactions,
    getWorkspaceAutoReload,
    reload(updateWorkspaceAutoReload(limits)),
    getWorkspaceBillingDetails,
    getWorkspaceInvoice,
    getWorkspaceInvoicePdf(pdf),
    getWorkspaceSpendLimits,
    listWorkspaceInvoices,
    updateWorkspaceBillingDetails,
    updateWorkspaceSpendLimits,
  ];
};
