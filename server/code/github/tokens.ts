import { sign } from 'node:crypto';
import type { GitHubApp } from '../../platform/config/github.ts';
import { HostError } from '../hosts/host-error.ts';

/** Permissions of a GitHub App that this server uses. */
export type Permissions = Partial<
  Record<
    | 'actions'
    | 'checks'
    | 'contents'
    | 'deployments'
    | 'issues'
    | 'metadata'
    | 'pull_requests'
    | 'statuses',
    'read' | 'write'
  >
> & {
  /** To push changes of workflow files. */
  workflows?: 'write';
};

/** What a token opens: of an installation only these repositories, and only for this. */
export interface Scope {
  installationId: number;
  /** Ids of GitHub, at most 500. Without them, all that the installation has. */
  repositoryIds?: readonly number[];
  permissions: Permissions;
}

/** A token as GitHub made it. `lifetime`: milliseconds from its answer on. */
export interface Minted {
  token: string;
  lifetime: number;
}

/**
 * The App's own credential, which is valid for 9 minutes. `now`: seconds by GitHub's clock. It says
 * that it is a minute old, because clocks differ.
 */
export function appToken({ id, privateKey }: GitHubApp, now: number): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const claims = { iat: now - 60, exp: now + 540, iss: String(id) };
  const signed = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
}

/** A token is not used in its last minutes: a push may take that long. */
const LEFT_OVER = 5 * 60_000;
const MOST_KEPT = 2_000;
/** GitHub may not know a token everywhere in its first seconds. */
const FRESH = 5_000;

interface Kept {
  token: Promise<Minted>;
  mintedAt: number;
  until: number;
}

/** Tokens of installations, in memory only. Callers that ask at the same time share one. */
export class Tokens {
  readonly #mint: (scope: Scope) => Promise<Minted>;
  readonly #kept = new Map<string, Kept>();

  constructor(mint: (scope: Scope) => Promise<Minted>) {
    this.#mint = mint;
  }

  /** Throws a HostError. */
  async get(scope: Scope): Promise<string> {
    const key = keyOf(scope);
    let kept = this.#kept.get(key);
    if (kept === undefined || kept.until <= Date.now()) kept = this.#make(key, scope);
    return (await kept.token).token;
  }

  /** After GitHub has refused it: whether it is so new that the next attempt may use it again. */
  refused(scope: Scope): boolean {
    const key = keyOf(scope);
    const kept = this.#kept.get(key);
    const fresh = kept !== undefined && Date.now() - kept.mintedAt < FRESH;
    if (!fresh) this.#kept.delete(key);
    return fresh;
  }

  /** Forgets the tokens of an installation whose rights have changed. */
  forget(installationId: number): void {
    for (const key of this.#kept.keys())
      if (key.startsWith(`${installationId} `)) this.#kept.delete(key);
  }

  #make(key: string, scope: Scope): Kept {
    const kept: Kept = {
      token: this.#mint(scope),
      mintedAt: Date.now(),
      until: Number.POSITIVE_INFINITY,
    };
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
    kept.token.then(
      ({ lifetime }) => {
        kept.mintedAt = Date.now();
        kept.until = kept.mintedAt + lifetime - LEFT_OVER;
      },
      () => {
        if (this.#kept.get(key) === kept) this.#kept.delete(key);
      },
    );
    return kept;
  }
}

function keyOf({ installationId, repositoryIds, permissions }: Scope): string {
  const repositories = repositoryIds?.toSorted((a, b) => a - b).join(',') ?? 'all';
  const rights = Object.entries(permissions).map((right) => right.join('='));
  return `${installationId} ${repositories} ${rights.sort().join(',')}`;
}

/** Why GitHub makes no token. `granted`: the permissions that the installation has, if known. */
export function notMinted(
  error: HostError,
  { permissions }: Scope,
  granted: Readonly<Record<string, string>> | undefined,
): HostError {
  const { status, said = '' } = error;
  if (error.code !== 'github_refused') return error;
  if (status === 404) return new HostError('github_installation_gone', error);
  if (status === 403 && /suspended/i.test(said))
    return new HostError('github_installation_suspended', error);
  if (status === 422 && /permission/i.test(said)) {
    const missing = Object.entries(permissions)
      .filter(([name, level]) => !allows(granted?.[name], level))
      .map((right) => right.join('='));
    const permission = missing.length > 0 ? missing.join(',') : undefined;
    return new HostError('github_permission_missing', { ...error, permission });
  }
  if (status === 422) return new HostError('github_repository_gone', error);
  return error;
}

const LEVELS = ['read', 'write', 'admin'];
const allows = (has: string | undefined, needs: string): boolean =>
  has !== undefined && LEVELS.indexOf(has) >= LEVELS.indexOf(needs);
