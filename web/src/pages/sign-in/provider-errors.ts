const WORDS: Record<string, string> = {
  provider_denied: 'You declined at the provider. Try again, or choose another way.',
  provider_unavailable: 'The provider does not answer. Try again later, or choose another way.',
  provider_misconfigured: 'The provider is not set up correctly. Ask the operator of this server.',
  provider_unknown: 'This server does not offer that provider. Choose another way.',
  provider_answer_invalid: 'The answer of the provider was not valid. Start again.',
  attempt_expired: 'That took too long, or was begun in another browser. Start again.',
  email_not_verified: 'The provider has not verified your email address. Verify it there first.',
  sign_up_closed: 'You have no account yet. Ask a member of a workspace for an invitation.',
  account_exists:
    'There is an account with your address. Sign in to it first, then link the provider.',
  account_deactivated: 'Your account is deactivated. Ask the operator of this server.',
  identity_taken: 'That account is linked to another person here.',
  proof_required: 'This needs a proof that it is you. Start again.',
  session_required: 'Your session has ended. Sign in, and start again.',
  installation_requested: 'An owner of the account on GitHub has to approve it first.',
  installation_not_yours: 'You may not see all of that account on GitHub. Ask one of its owners.',
  forbidden: 'You may not do that here. Ask an owner or an admin of the workspace.',
  github_not_configured: 'This server is not connected to GitHub. Ask its operator.',
  cross_site_request: 'That did not begin on this page. Start again.',
};

/** Why a visit to a provider or to GitHub did not succeed, by the `error` in the address. */
export const providerError = (code: string): string =>
  Object.hasOwn(WORDS, code) ? (WORDS[code] as string) : 'That did not work. Start again.';
