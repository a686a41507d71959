import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { GitHub } from '../../code/index.ts';
import type { Database } from '../../db/database/database.ts';
import type { PublicRoute } from '../../http/public-route.ts';
import type { Route } from '../../http/route.ts';
import type { Config } from '../../platform/config/config.ts';
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
import { invitationTokens } from './invitations/invitation-tokens.ts';
import { lookAtInvitation } from './invitations/look-at-invitation.ts';
import { signUpByInvitation } from './invitations/sign-up-by-invitation.ts';
import { createKey } from './keys/create-key.ts';
import { listKeys } from './keys/list-keys.ts';
import { revokeKey } from './keys/revoke-key.ts';
import { listOwnAuditEvents } from './list-own-audit-events.ts';
import { listSessions } from './list-sessions.ts';
import { lookAtLink } from './look-at-link.ts';
import { signInOutcomes } from './outcomes.ts';
import { deletePasskey } from './passkeys/delete-passkey.ts';
import { proofsWithPasskey } from './passkeys/prove-with-passkey.ts';
import { beginPasskey, createPasskey } from './passkeys/register-passkey.ts';
import { relyingParty } from './passkeys/relying-party.ts';
import { beginSignInWithPasskey, signInWithPasskey } from './passkeys/sign-in-with-passkey.ts';
import { passwords } from './passwords.ts';
import { githubPeople } from './providers/github.ts';
import { deleteIdentity, listIdentities } from './providers/identities.ts';
import { openProviders } from './providers/providers.ts';
import { finishProvider, startProvider } from './providers/visit-provider.ts';
import { requestLink } from './request-link.ts';
import { signIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';
import { useLink } from './use-link.ts';
import { openVault } from './vault.ts';

/** What signing in needs. */
interface SignInDeps {
  db: Database;
  /** If a GitHub App is set up. */
  github?: GitHub | undefined;
  config: Pick<Config, 'publicUrl' | 'signUp' | 'providers' | 'previousServerSecret'> & {
    mail: Pick<Config['mail'], 'server'>;
  };
  /** Seals and hashes what second factors are checked by. */
  serverSecret: string;
  log?: Pick<Logger, 'error' | 'warn'>;
  /** Counts attempts, if metrics are on. */
  metrics?: Registry | undefined;
}

/**
 * What browsers use to sign in, and what people change about how they do: outside of the API
 * description, and in one of their own, from which the dashboard takes its types.
 */
export function signInRoutes({
  db,
  github,
  config: { publicUrl, signUp, mail, providers: accounts, previousServerSecret: previous },
  serverSecret,
  log,
  metrics,
}: SignInDeps): (Route | PublicRoute)[] {
  const party = relyingParty(publicUrl);
  const providers = openProviders(accounts);
  const offer = {
    sign_up: signUp,
    providers: [...providers.values()].map(({ id, name }) => ({ id, name })),
    passkeys: party !== undefined,
    mail: mail.server !== undefined,
  };
  const outcomes = signInOutcomes(db, metrics, (error) =>
    log?.error({ err: error }, 'a refused attempt to sign in could not be recorded'),
  );
  const tokens = invitationTokens([serverSecret, previous]);
  const vault = openVault({ current: serverSecret, previous });
  const common = {
    db,
    publicUrl,
    passwords: passwords({ onBusy: outcomes.busy }),
    outcomes,
    vault,
  };
  const elsewhere = { db, providers, outcomes, log, config: { publicUrl, signUp } };
  const hub = github && accounts.github && { github, people: githubPeople(accounts.github) };
  const installing = { db, publicUrl, github: hub };
  return [
    signIn(common),
    requestLink(db),
    lookAtLink(db),
    useLink({ ...common, signUp }),
    lookAtInvitation({ db, tokens }),
    signUpByInvitation({ db, tokens }),
    changePassword(common),
    giveSecondFactor(common),
    prove(common),
    getFactors,
    beginTotp(vault),
    confirmTotp(common),
    removeTotp(publicUrl),
    renewRecoveryCodes(vault),
    getSession({ db, offer, publicUrl }),
    signOut(publicUrl),
    listSessions,
    endSession,
    endOtherSessions,
    listOwnAuditEvents,
    listKeys,
    createKey,
    revokeKey,
    beginSignInWithPasskey({ db, party }),
    signInWithPasskey({ db, publicUrl, party, outcomes }),
    ...proofsWithPasskey({ db, publicUrl, party, outcomes }),
    beginPasskey(party),
    createPasskey(publicUrl, party),
    deletePasskey(publicUrl),
    startProvider(elsewhere),
    finishProvider(elsewhere),
    listIdentities,
    deleteIdentity,
    installGithub(installing),
    finishGithub(installing),
  ];
}
