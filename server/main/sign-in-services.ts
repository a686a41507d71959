import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { GitHub } from '../code/github/app.ts';
import type { Database } from '../db/database/database.ts';
import { invitationTokens } from '../identity/sign-in/invitations/invitation-tokens.ts';
import { signInOutcomes } from '../identity/sign-in/outcomes.ts';
import { relyingParty } from '../identity/sign-in/passkeys/relying-party.ts';
import { passwords } from '../identity/sign-in/passwords.ts';
import { githubPeople } from '../identity/sign-in/providers/github.ts';
import { openProviders } from '../identity/sign-in/providers/providers.ts';
import type { SignInServices } from '../identity/sign-in/routes.ts';
import { openVault } from '../identity/sign-in/vault.ts';
import type { Config } from '../platform/config/config.ts';
import { openSealing } from '../platform/sealing/sealing.ts';
import { removeProject } from '../projects/remove-project.ts';
import { pauseRoutine } from '../tasks/routines/pause-routine.ts';

/** What the start of a server has opened, from which these services are made. */
interface Opened {
  db: Database;
  github?: GitHub | undefined;
  config: Pick<Config, 'publicUrl' | 'signUp' | 'providers' | 'previousServerSecret'> & {
    mail: Pick<Config['mail'], 'server'>;
    webhooks: Pick<Config['webhooks'], 'allowHttp'>;
  };
  serverSecret: string;
  log?: Pick<Logger, 'error' | 'warn'>;
  /** Counts attempts, if metrics are on. */
  metrics?: Registry | undefined;
}

/** What the operations are given with which people sign in. */
export function openSignInServices({
  db,
  github,
  config: {
    publicUrl,
    signUp,
    mail,
    webhooks,
    providers: accounts,
    previousServerSecret: previous,
  },
  serverSecret,
  log,
  metrics,
}: Opened): SignInServices {
  const party = relyingParty(publicUrl);
  const providers = openProviders(accounts);
  const outcomes = signInOutcomes(db, metrics, (error) =>
    log?.error({ err: error }, 'a refused attempt to sign in could not be recorded'),
  );
  return {
    db,
    publicUrl,
    signUp,
    offer: {
      sign_up: signUp,
      providers: [...providers.values()].map(({ id, name }) => ({ id, name })),
      passkeys: party !== undefined,
      mail: mail.server !== undefined,
    },
    passwords: passwords({ onBusy: outcomes.busy }),
    outcomes,
    vault: openVault({ current: serverSecret, previous }),
    tokens: invitationTokens([serverSecret, previous]),
    party,
    providers,
    github: github && accounts.github && { github, people: githubPeople(accounts.github) },
    log,
    pushSealing: openSealing({ current: serverSecret, previous }, 'push'),
    httpPush: webhooks.allowHttp,
    removeProject,
    pauseRoutine,
  };
}
