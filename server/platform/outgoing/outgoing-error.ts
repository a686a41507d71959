/** Why a request to an address that a caller chose was not answered. */
export type OutgoingCode = keyof typeof SENTENCES;

/**
 * One sentence for each code, which says nothing of the address: the same for every name and every
 * port, so that refusals tell nothing about the network of this server (erp.md §2).
 */
const SENTENCES = {
  invalid_url: 'The address must begin with https:// and hold no user name or password.',
  dns: 'The name of the server cannot be found.',
  blocked_address: 'The address is in a network that this server does not send requests to.',
  refused: 'The server does not accept connections at this address.',
  timeout: 'The server did not answer in time.',
  tls_untrusted: 'The certificate of the server is not signed by an authority that is trusted.',
  tls_name: 'The certificate of the server is for another name.',
  tls_expired: 'The certificate of the server has expired.',
  redirected: 'The server leads to another address; enter that one instead.',
  too_large: 'The answer of the server is too large.',
  broken: 'The server does not answer as a web server would.',
} as const;

/** Its message is safe to show to a caller. The cause is for the log of the operator. */
export class OutgoingError extends Error {
  readonly code: OutgoingCode;

  constructor(code: OutgoingCode, options?: ErrorOptions) {
    super(SENTENCES[code], options);
    this.code = code;
  }
}

const BY_CODE: Record<string, OutgoingCode> = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  EADDRNOTAVAIL: 'refused',
  ETIMEDOUT: 'timeout',
  CERT_HAS_EXPIRED: 'tls_expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls_name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_untrusted',
};

/** Other faults of a certificate, such as an unknown authority or a revoked one. */
const OF_CERTIFICATE = /^(UNABLE_TO_|CERT_|CRL_|INVALID_CA|PATH_LENGTH|HOSTNAME_MISMATCH)/;

/** What an error of Node.js means. */
export function asOutgoingError(error: unknown): OutgoingError {
  if (error instanceof OutgoingError) return error;
  // Of several addresses that were tried, the first says enough.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const code = String((first as { code?: unknown } | undefined)?.code ?? '');
  const untrusted = OF_CERTIFICATE.test(code) ? 'tls_untrusted' : 'broken';
  return new OutgoingError(BY_CODE[code] ?? untrusted, { cause: error });
}
