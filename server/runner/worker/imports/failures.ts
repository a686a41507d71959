import type { OutgoingError } from '../../../platform/outgoing/outgoing.ts';

/** An import that cannot be carried out: `code` for programs, the message for people. */
export class ImportFailed extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The source was at fault, perhaps for a moment: it is asked again. */
export class SourceFailed extends ImportFailed {}

const failed = (code: string, message: string) => new ImportFailed(code, message);

export const tooLarge = (maxBytes: number) =>
  failed(
    'too_large',
    `The repository is larger than the ${Math.round(maxBytes / 1024 / 1024)} MiB that this server ` +
      'imports: make it smaller (git filter-repo takes large files out of a history), or ask the ' +
      'operator to raise IMPORT_MAX_MB.',
  );

export const tooLate = (minutes: number) =>
  failed(
    'too_slow',
    `The import took more than ${minutes} minutes: import again when the source is faster, or ` +
      'import a smaller repository.',
  );

export const empty = () =>
  failed(
    'source_empty',
    'There is no branch at this address: push something to the source, or give the address that ' +
      'git clone takes.',
  );

export const onlyFiles = () =>
  failed(
    'not_git',
    'What answers at this address is no Git server but files of one, which cannot be checked: give ' +
      'an address with the smart protocol of Git, which every usual host has.',
  );

export const tooManyRefs = (most: { branches: number; tags: number }) =>
  failed(
    'too_many_references',
    `The source has more than ${most.branches.toLocaleString('en')} branches or ` +
      `${most.tags.toLocaleString('en')} tags: delete those that are not needed, then import again.`,
  );

export const unusableDefault = () =>
  failed(
    'default_branch_unusable',
    'The default branch of the source has a name that cannot be used here: a name of at most 200 ' +
      'bytes that does not begin with task/ and that people can read. Rename it, then import again.',
  );

export const tooManyFiles = () =>
  failed(
    'too_many_files',
    'The default branch holds more than a branch may have here (100,000 files and folders, 1 GiB): ' +
      'delete what is not needed, then import again.',
  );

export const changed = () =>
  failed(
    'repository_not_empty',
    'Something was pushed or merged into the repository meanwhile, and it stays as it is: import ' +
      'into another repository.',
  );

export const notAllowed = () =>
  failed(
    'no_longer_permitted',
    'The person who asked for it is no admin of the project any more, or the project is archived: ' +
      'ask again.',
  );

export const givenUp = () =>
  failed(
    'worker_failed',
    'The workers that tried it have failed: import again, and ask whoever operates this server if ' +
      'that helps nothing.',
  );

export const unreadable = () =>
  failed(
    'credential_unreadable',
    'The password cannot be opened by this server any more: import again with it.',
  );

export const leadsElsewhere = (address: string) =>
  failed(
    'redirected',
    `The source leads to ${address} and not to a repository of Git: check the address, and give an ` +
      'access token if the source shows others a page for signing in.',
  );

export const leadsWithoutTls = (address: string) =>
  failed(
    'redirected',
    `The source leads to ${address}, where everything would be sent readable: give an address that ` +
      'begins with https:// and stays there.',
  );

const BLOCKED =
  'The name of the server cannot be found, or it is in a network that this server does not import ' +
  'from: check the address and use a public one, or ask the operator to add the network to ' +
  'IMPORT_ALLOWED_NETWORKS.';

/** What the proxy has refused says more than git does. */
const OF_PROXY: Partial<Record<OutgoingError['code'], [code: string, message: string]>> = {
  blocked_address: ['blocked_address', BLOCKED],
  // One code for both: which inner names exist is nobody's concern (docs/decisions/0063).
  dns: ['blocked_address', BLOCKED],
  redirected: [
    'redirected',
    'The server leads to another address only for a part of what git asks, which git does not ' +
      'follow: import from that address instead, or correct the redirect at the source.',
  ],
  refused: [
    'not_reachable',
    'The server does not accept connections at this address: check the address, and that the ' +
      'server can be reached from the internet.',
  ],
  timeout: [
    'stalled',
    'The server stopped sending: import again later, or look at it from the side of the server.',
  ],
};

/**
 * What a git that has failed means. Its own words are for the log: they may name files and
 * addresses.
 */
export function failureOf(stderr: string, context: Context, cause: unknown): ImportFailed {
  const failure = causeOf(stderr, context, cause);
  if (context.moved === undefined) return failure;
  const { address, withoutLogin } = context.moved;
  const login = withoutLogin ? ' The user name and password are not sent there.' : '';
  failure.message = `The source leads to ${address}.${login} ${failure.message}`;
  return failure;
}

function causeOf(
  stderr: string,
  { proxy, withLogin, maxBytes }: Context,
  cause: unknown,
): ImportFailed {
  const make = (code: string, message: string) => new ImportFailed(code, message, { cause });
  if (proxy?.code === 'too_large') return tooLarge(maxBytes);
  const known = proxy && OF_PROXY[proxy.code];
  if (known !== undefined)
    return known[0] === 'stalled' || known[0] === 'not_reachable'
      ? new SourceFailed(...known, { cause })
      : make(...known);
  if (/redirect|HTTP 30[12378]\b|error: 30[12378]\b/i.test(stderr))
    return make(...(OF_PROXY.redirected as [string, string]));
  if (/\b(401|403)\b|could not read (Username|Password)|Authentication failed/i.test(stderr))
    return withLogin
      ? make(
          'credentials_refused',
          'The source does not accept the user name and password: check them, and that the access ' +
            'token may read the repository.',
        )
      : make(
          'credentials_needed',
          'The source asks for a user name and password, or there is no such repository: check the ' +
            'address, and import again with an access token that may read it.',
        );
  if (/\b404\b|not found/i.test(stderr) && !/not valid/.test(stderr))
    return make(
      'source_not_found',
      'There is no repository at this address, or it is private: check the address, and give an ' +
        'access token that may read it.',
    );
  if (
    /fsck|badTree|malformed|hasDot|gitmodules|index-pack|unpack|bad (object|pack)|corrupt|inflate|fatal: pack|did not send all/i.test(
      stderr,
    )
  )
    return make(
      'hostile_pack',
      'The source has sent objects that git finds damaged or dangerous: run git fsck --full at ' +
        'the source and repair what it names.',
    );
  if (/SSL|certificate/i.test(stderr))
    return make(
      'certificate_untrusted',
      'The certificate of the server is not one that this server trusts: use another address, or ' +
        'ask the operator.',
    );
  if (/too slow|Operation timed out|timed out/i.test(stderr))
    return new SourceFailed(...(OF_PROXY.timeout as [string, string]), { cause });
  if (/mismatched algorithms|object format/i.test(stderr))
    return make(
      'object_format',
      'The source names its objects by SHA-256, which this server does not take: convert it to ' +
        'SHA-1 first.',
    );
  if (/not valid|not a git repository|invalid|unexpected|protocol error/i.test(stderr))
    return make(
      'not_git',
      'What answers at this address is no Git server: give the address that git clone takes.',
    );
  return new SourceFailed(
    'source_failed',
    'The source ended the transfer before everything was sent: import again later.',
    { cause },
  );
}

interface Context {
  proxy: OutgoingError | undefined;
  withLogin: boolean;
  /** Where the source has led to, if elsewhere. */
  moved: { address: string; withoutLogin: boolean } | undefined;
  maxBytes: number;
}
