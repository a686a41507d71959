import Type from 'typebox';
import { sql } from '../../db/sql.ts';
import { boolean, integer, oneOf } from '../../http/input/fields.ts';
import { resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';

const hostId = (description: string) =>
  integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });

/** The id of an installation, in a path and as it is shown. */
export const installationId = () => hostId('The number that GitHub gave the installation.');

/** The id of a repository on GitHub, in a path and as it is shown. */
export const githubRepositoryId = () => hostId('The number that GitHub gave the repository.');

/** An installation of the GitHub App, from a row `t` of `github_installation`. */
export const githubInstallation = resource('GitHubInstallation', {
  id: [installationId(), sql`t.id`, 51_234_567],
  account: [
    Type.Object({
      login: Type.String(),
      type: oneOf(['User', 'Organization', 'Enterprise']),
    }),
    sql`json_build_object('login', t.account_login, 'type', t.account_type)`,
    { login: 'acme', type: 'Organization' },
  ],
  repository_selection: [
    oneOf(['all', 'selected'], {
      description: 'Whether it has every repository of the account.',
    }),
    sql`t.repository_selection`,
    'selected',
  ],
  suspended: [
    boolean({ description: 'A suspended one cannot be used until its account unsuspends it.' }),
    sql`t.suspended_at is not null`,
    false,
  ],
  permissions: [
    Type.Record(Type.String(), Type.String(), {
      description: 'What the App may do there, by name: `read`, `write` or `admin`.',
    }),
    sql`t.permissions`,
    { metadata: 'read', contents: 'write', pull_requests: 'write' },
  ],
  looked_at: [timestamp(), sql`t.looked_at`, '2026-11-22T09:00:00.000Z'],
});

export const installationOrder = [
  { by: sql`lower(t.account_login) collate "C"`, type: 'text' },
  { by: sql`t.id`, type: 'bigint' },
] as const;
