import type { Route } from '../http/route.ts';
import type { ShownSetting } from '../platform/config/config.ts';
import { activateUser } from './activate-user.ts';
import { createSignInLink } from './create-sign-in-link.ts';
import { deactivateUser } from './deactivate-user.ts';
import { getServer } from './get-server.ts';
import { grantUserCredits } from './grant-user-credits.ts';
import { grantWorkspaceCredits } from './grant-workspace-credits.ts';
import { listAllWorkspaces } from './list-all-workspaces.ts';
import { listFailedDeliveries } from './list-failed-deliveries.ts';
import { listMails } from './list-mails.ts';
import { listOpenTurns } from './list-open-turns.ts';
import { listOperatorEvents } from './list-operator-events.ts';
import { listSettings } from './list-settings.ts';
import { listUsers } from './list-users.ts';
import { listWorkers } from './list-workers.ts';
import { resendFailedDelivery } from './resend-failed-delivery.ts';
import { resendMail } from './resend-mail.ts';
import { resetTwoFactor } from './reset-two-factor.ts';

export const operatorRoutes = (services: {
  config: { version: string };
  publicUrl: string;
  settings: readonly ShownSetting[];
}): Route[] => [
  getServer(services),
  listUsers,
  deactivateUser,
  activateUser,
  createSignInLink(services),
  resetTwoFactor,
  grantUserCredits,
  listAllWorkspaces,
  grantWorkspaceCredits,
  listOpenTurns,
  listWorkers,
  listMails,
  resendMail,
  listFailedDeliveries,
  resendFailedDelivery,
  listSettings(services),
  listOperatorEvents,
];
