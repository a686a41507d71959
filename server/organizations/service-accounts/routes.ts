import { createServiceAccount } from './create-service-account.ts';
import { deleteServiceAccount } from './delete-service-account.ts';
import { listServiceAccounts } from './list-service-accounts.ts';
import { updateServiceAccount } from './update-service-account.ts';

export const serviceAccountRoutes = [
  listServiceAccounts,
  createServiceAccount,
  updateServiceAccount,
  deleteServiceAccount,
];
