import { createPrivateKey } from 'node:crypto';
import { after } from 'node:test';
import type { Database } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import type { GitHubApp } from '../platform/config/github.ts';
import type { FakeGithub } from './fakes/fake-github/fake.ts';
import { startFakeGithub } from './fakes/fake-github/server.ts';
import { accountOf, newId } from './fakes/fake-github/state.ts';

/** The fake GitHub, closed after the tests of the file. */
export async function startGithub(): Promise<FakeGithub> {
  const fake = await startFakeGithub();
  after(() => fake.close());
  return fake;
}

/** The settings that a server has for the App of the fake. */
export const appOf = ({ appId, privateKey, webhookSecret, url }: FakeGithub): GitHubApp => ({
  id: appId,
  privateKey: createPrivateKey(privateKey),
  webhookSecret,
  apiUrl: url,
  webUrl: url,
});

/** The same as environment variables. */
export const environmentOf = ({ appId, privateKey, webhookSecret, url }: FakeGithub) => ({
  GITHUB_APP_ID: String(appId),
  GITHUB_APP_PRIVATE_KEY: privateKey.replaceAll('\n', '\\n'),
  GITHUB_WEBHOOK_SECRET: webhookSecret,
  GITHUB_API_URL: url,
});

/** Who an installation is connected to. */
interface Owners {
  organizationId?: string;
  userId?: string;
}

/** Stores an installation of the fake as one that was looked at, and connects it. */
export async function connectInstallation(
  db: Database,
  { id, account, selection, permissions }: ReturnType<FakeGithub['install']>,
  { organizationId, userId }: Owners,
): Promise<void> {
  await db.many(sql`
    insert into github_installation (id, account_login, account_type, repository_selection,
                                     permissions)
    values (${id}, ${account.login}, ${account.type}, ${selection}, ${permissions})
    on conflict do nothing`);
  await db.many(sql`
    insert into github_connection (installation_id, organization_id, user_id)
    select ${id}, organization_id, user_id
      from (values (${organizationId ?? null}::uuid, null::uuid), (null, ${userId ?? null}))
           given (organization_id, user_id)
     where num_nonnulls(organization_id, user_id) = 1`);
}

/**
 * An account with one repository, connected to these. Its Git repository is that of the first one
 * made so, because many tests only need a name.
 */
export async function connectedAccount(
  fake: FakeGithub,
  db: Database,
  owners: Owners,
): Promise<{ installationId: number; repositoryId: number; fullName: string }> {
  const [template = await fake.addRepository('template/library')] =
    fake.state.repositories.values();
  const id = newId();
  const owner = accountOf(fake.state, `account-${id}`);
  fake.state.repositories.set(id, { ...template, id, owner });
  const installation = fake.install(owner.login);
  await connectInstallation(db, installation, owners);
  const fullName = `${owner.login}/${template.name}`;
  return { installationId: installation.id, repositoryId: id, fullName };
}
