import { App } from '@octokit/app';
import { Octokit } from '@octokit/core';
import { paginateRest } from '@octokit/plugin-paginate-rest';
import type { FakeGithub } from './fake.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** What the tests of the fake drive it with: the packages of GitHub itself, unchanged. */
const Client = Octokit.plugin(paginateRest).defaults({ log: silent });

/** The App as octokit knows it; with another key or id, as someone else. */
export const appOf = (
  { url, appId, privateKey, webhookSecret }: FakeGithub,
  { baseUrl = url, ...other }: { baseUrl?: string; appId?: number; privateKey?: string } = {},
) =>
  new App({
    appId,
    privateKey,
    webhooks: { secret: webhookSecret },
    Octokit: Client.defaults({ baseUrl }),
    log: silent,
    ...other,
  });

/** A client with a token of one's own, or with none. */
export const clientOf = ({ url }: FakeGithub, auth?: string) =>
  new Client({ baseUrl: url, ...(auth === undefined ? {} : { auth }) });

/** A token of an installation, narrowed or not. */
export async function tokenOf(
  fake: FakeGithub,
  installationId: number,
  narrowed: { repository_ids?: number[]; permissions?: Record<string, 'read' | 'write'> } = {},
): Promise<string> {
  const { data } = await appOf(fake).octokit.request(
    'POST /app/installations/{installation_id}/access_tokens',
    { installation_id: installationId, ...narrowed },
  );
  return data.token;
}

/** What a refused request was answered. */
export async function refusalOf(asked: Promise<unknown>): Promise<{
  status: number;
  message: string;
  headers: Record<string, string | number | undefined>;
}> {
  try {
    await asked;
  } catch (error) {
    const { status, response } = error as {
      status: number;
      response?: {
        data: { message: string };
        headers: Record<string, string | number | undefined>;
      };
    };
    if (response === undefined) throw error;
    return { status, message: response.data.message, headers: response.headers };
  }
  throw new Error('It was not refused');
}
