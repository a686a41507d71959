import type { Logger } from 'pino';
import type { GitHub } from '../../code/index.ts';
import type { Database } from '../../db/database/database.ts';
import type { PublicRoute } from '../../http/public-route.ts';
import type { Route } from '../../http/route.ts';
import type { Config } from '../../platform/config/config.ts';
import { connectApplication } from '../applications/connect-application.ts';
import { disconnectApplication } from '../applications/disconnect-application.ts';
import { listApplications } from '../applications/list-applications.ts';
import { lookAtRequest } from '../applications/look-at-request.ts';
import type { PushServices } from '../notifications/push/push-services.ts';
import { pushRoutes } from '../notifications/push/routes.ts';
import { changePassword } from './change-password.ts';
import { endOtherSessions } from './end-other-sessions.ts';
import { endSession } from './end-session.ts';
import { beginTotp, confirmTotp } from './factors/enrol-totp.ts';
import { getFactors } from './factors/get-factors.ts';
import { giveSecondFactor } from './factors/give-second-factor.ts';
import { prove } from './factors/prove.ts';
import { removeTotp } from './factors/remove-totp.ts';
import { renewRecoveryCodes } from './factors/renew-recovery-codes.ts';
import { getSession } from './get-session.ts';
import { finishGithub, installGithub } from './github/install-github.ts';
import type { InvitationTokens } from './invitations/invitation-tokens.ts';
import { lookAtInvitation } from './invitations/look-at-invitation.ts';
import { signUpByInvitation } from './invitations/sign-up-by-invitation.ts';
import { createKey } from './keys/create-key.ts';
import { listKeys } from './keys/list-keys.ts';
import { revokeKey } from './keys/revoke-key.ts';
import { deleteAccount, type LeavingServices } from './leaving/delete-account.ts';
import { exportAccount } from './leaving/export-account.ts';
import { listOwnAuditEvents } from './list-own-audit-events.ts';
import { listSessions } from './list-sessions.ts';
import { lookAtLink } from './look-at-link.ts';
import type { Outcomes } from './outcomes.ts';
import { deletePasskey } from './passkeys/delete-passkey.ts';
import { proofsWithPasskey } from './passkeys/prove-with-passkey.ts';
import { beginPasskey, createPasskey } from './passkeys/register-passkey.ts';
import type { RelyingParty } from './passkeys/relying-party.ts';
import { beginSignInWithPasskey, signInWithPasskey } from './passkeys/sign-in-with-passkey.ts';
import type { Passwords } from './passwords.ts';
import type { GithubPeople } from './providers/github.ts';
import { deleteIdentity, listIdentities } from './providers/identities.ts';
import type { openProviders } from './providers/providers.ts';
import { finishProvider, startProvider } from './providers/visit-provider.ts';
import { requestLink } from './request-link.ts';
import { createServiceAccountKey } from './service-account-keys/create-service-account-key.ts';
import { listServiceAccountKeys } from './service-account-keys/list-service-account-keys.ts';
import { revokeServiceAccountKey } from './service-account-keys/revoke-service-account-key.ts';
import { signIn } from './sign-in.ts';
import type { SignInOffer } from './sign-in-offer.ts';
import { signOut } from './sign-out.ts';
import { useLink } from './use-link.ts';
import type { Vault } from './vault.ts';

/** All that these operations are given, each made once for a server (server/main/). */
export interface SignInServices extends PushServices, LeavingServices {
  db: Database;
  publicUrl: string;
  /** Who may make an account. */
  signUp: Config['signUp'];
  /** The ways to sign in that the page offers. */
  offer: SignInOffer;
  /** Checks and hashes passwords, a few at once. */
  passwords: Passwords;
  /** Counts and records how attempts end. */
  outcomes: Outcomes;
  /** Seals and hashes what second factors are checked by. */
  vault: Vault;
  /** Of the links in mails of invitations. */
  tokens: InvitationTokens;
  /** Whom passkeys are made for; undefined where the address of the server cannot have any. */
  party: RelyingParty | undefined;
  /** Where people sign in with an account elsewhere, by id. */
  providers: ReturnType<typeof openProviders>;
  /** To install the GitHub App; undefined unless it and the sign-in with GitHub are set up. */
  github: { github: GitHub; people: GithubPeople } | undefined;
  log?: Pick<Logger, 'warn'> | undefined;
}

/**
 * What browsers use to sign in, and what people change about how they do: outside of the API
 * description, and in one of their own, from which the dashboard takes its types.
 */
export const signInRoutes = (services: SignInServices): (Route | PublicRoute)[] => [
  signIn(services),
  requestLink(services),
  lookAtLink(services),
  useLink(services),
  lookAtInvitation(services),
  signUpByInvitation(services),
  changePassword(services),
  giveSecondFactor(services),
  prove(services),
  getFactors,
  beginTotp(services),
  confirmTotp(services),
  removeTotp(services),
  renewRecoveryCodes(services),
  getSession(services),
  signOut(services),
  listSessions,
  endSession,
  endOtherSessions,
  listOwnAuditEvents,
  listKeys,
  createKey,
  revokeKey,
  lookAtRequest(services),
  connectApplication(services),
  listApplications,
  disconnectApplication,
  listServiceAccountKeys,
  createServiceAccountKey,
  revokeServiceAccountKey,
  beginSignInWithPasskey(services),
  signInWithPasskey(services),
  ...proofsWithPasskey(services),
  beginPasskey(services),
  createPasskey(services),
  deletePasskey(services),
  startProvider(services),
  finishProvider(services),
  listIdentities,
  deleteIdentity,
  installGithub(services),
  finishGithub(services),
  ...pushRoutes(services),
  exportAccount,
  deleteAccount(services),
];
