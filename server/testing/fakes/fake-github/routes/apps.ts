import { mustBeInstallation } from '../credentials.ts';
import { pageOf } from '../pages.ts';
import { errorBody, notFound, Refusal, suspended } from '../refusals.ts';
import { type Call, route } from '../router.ts';
import { appShape, installationShape, time } from '../shapes/accounts.ts';
import { repositoryShape } from '../shapes/repositories.ts';
import {
  type Installation,
  newToken,
  type Permissions,
  type Repository,
  visibleTo,
} from '../state.ts';
import type { Schema } from '../typed.ts';

const HOUR_MS = 3_600_000;

/** What the App asks about itself, and its installations' tokens. */
export const APP_ROUTES = [
  route('get', '/app', 'app')(({ state, at }) => ({ status: 200, body: appShape(state, at) })),

  route(
    'get',
    '/app/installations',
    'app',
  )(({ state, at, query, self }) => {
    const { items, headers } = pageOf([...state.installations.values()], query, self);
    const body = items.map((each) => installationShape(each, state, at));
    // The description says that an account has the fields of a user and of an enterprise at once.
    return { status: 200, body: body as never[], headers };
  }),

  route(
    'get',
    '/app/installations/{installation_id}',
    'app',
  )((call) => ({
    status: 200,
    body: installationShape(installationOf(call), call.state, call.at),
  })),

  route(
    'post',
    '/app/installations/{installation_id}/access_tokens',
    'app',
  )((call) => {
    const { state, at, body } = call;
    const installation = installationOf(call);
    if (installation.suspendedAt !== undefined) throw suspended();
    const repositories = chosen(call, installation);
    if (repositories === 'not accessible')
      return {
        status: 422,
        body: refused(
          'There is at least one repository that does not exist or is not accessible to the ' +
            'parent installation.',
        ),
      };
    const permissions = (body.permissions ?? installation.permissions) as Permissions;
    if (!granted(installation.permissions, permissions))
      return {
        status: 422,
        body: refused('The permissions requested are not granted to this installation.'),
      };
    const value = newToken();
    const expiresAt = state.now() + HOUR_MS;
    state.tokens.set(value, {
      value,
      installationId: installation.id,
      repositoryIds: repositories && new Set(repositories.map(({ id }) => id)),
      permissions: { ...permissions, metadata: 'read' },
      expiresAt,
    });
    return {
      status: 201,
      body: {
        token: value,
        expires_at: time(expiresAt),
        permissions: { ...permissions, metadata: 'read' },
        repository_selection: repositories === undefined ? installation.selection : 'selected',
        ...(repositories && {
          repositories: repositories.map((each) => repositoryShape(each, at)),
        }),
      },
    };
  }),

  route(
    'get',
    '/installation/repositories',
    'installation',
  )((call) => {
    const { state, at, query, self } = call;
    const { installation, token } = mustBeInstallation(call.caller);
    const all = visibleTo(state, installation, token.repositoryIds);
    const { items, headers } = pageOf(all, query, self);
    return {
      status: 200,
      body: {
        total_count: all.length,
        repository_selection: token.repositoryIds ? 'selected' : installation.selection,
        repositories: items.map((each) => repositoryShape(each, at)),
      },
      headers,
    };
  }),
];

function installationOf({ state, params }: Call): Installation {
  const found = state.installations.get(Number(params.installation_id));
  if (found === undefined) throw notFound();
  return found;
}

const refused = (message: string): Schema<'validation-error'> => ({
  message,
  documentation_url: errorBody(422, message).documentation_url ?? '',
});

/** By their ids, names, or both; undefined for all. */
function chosen(
  { state, body }: Call,
  installation: Installation,
): Repository[] | undefined | 'not accessible' {
  const { repository_ids: ids, repositories: names } = body;
  if (ids === undefined && names === undefined) return undefined;
  if (![ids ?? [], names ?? []].every(Array.isArray)) throw new Refusal(422, 'Invalid request.');
  const visible = visibleTo(state, installation);
  const found = [
    ...((ids ?? []) as unknown[]).map((id) => visible.find((each) => each.id === id)),
    ...((names ?? []) as unknown[]).map((name) =>
      visible.find((each) => each.name.toLowerCase() === String(name).toLowerCase()),
    ),
  ];
  const repositories = found.filter((each) => each !== undefined);
  return repositories.length === found.length ? repositories : 'not accessible';
}

function granted(held: Permissions, asked: Permissions): boolean {
  return (Object.keys(asked) as (keyof Permissions)[]).every(
    (name) => name === 'metadata' || held[name] === 'write' || held[name] === asked[name],
  );
}
