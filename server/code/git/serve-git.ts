import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../http/caller.ts';
import { ApiError, keyReadOnly, notFound } from '../../http/errors.ts';
import { registerService, type ServiceDeps } from '../../http/service.ts';
import { steadyBody } from '../../http/steady-body.ts';
import type { Transfers } from '../../http/transfers.ts';
import { gitDirOf, TASK_REPOSITORY } from '../repositories/git.ts';
import { hasGit } from '../repositories/git-version.ts';
import { makeRepository } from '../repositories/make-repository.ts';
import { isBound } from '../repositories/repository-folder.ts';
import { removeLocksOf } from '../repositories/stale-locks.ts';
import { type GitRepository, onGitRepository, repositoryAt } from './access.ts';
import { type GitRequest, type GitService, SERVICES } from './backend.ts';
import { beginPushedChecks } from './begin-pushed-checks.ts';
import { type Command, readCommands } from './commands.ts';
import {
  badCommands,
  codeOnGitHub,
  gitUnavailable,
  mayNotPush,
  projectArchived,
  repositoriesElsewhere,
  repositoryNotFound,
  tooManyCommands,
  unsupportedBody,
} from './errors.ts';
import { exchange } from './exchange.ts';
import { recordDirect } from './record-direct.ts';
import { forHook, HOOKS, LIMITS } from './settings.ts';
import { branchBegin, directRefs, writableRefs } from './writable-refs.ts';

interface GitDeps extends ServiceDeps {
  /** The folder of all repositories. */
  directory: string;
  /** How many bytes each of them may take up. */
  size: number;
  transfers: Transfers;
  /** Aborted when the server stops. */
  ending: AbortSignal;
}

type Found = GitRepository & Caller;

const PATH = '/git/:project_id/:folder';

/** The paths of Git, which are for its clients and not in the API description. */
export const GIT_ROUTES: { method: string; path: string }[] = [
  { method: 'GET', path: `${PATH}/info/refs` },
  ...SERVICES.map((service) => ({ method: 'POST', path: `${PATH}/${service}` })),
];

/**
 * Git over HTTP at `/git/{project_id}/{name}.git`, by Git's own server: everyone who can open the
 * project may clone and fetch, and people who may work on tasks may push to the branches of tasks.
 */
export function serveGit(app: FastifyInstance, deps: GitDeps): void {
  const common = {
    params: repositoryAt,
    access: onGitRepository,
    refusal: (error: ApiError) => (HIDDEN.has(error.code) ? repositoryNotFound() : error),
  };
  registerService(
    app,
    {
      ...common,
      method: 'GET',
      path: `${PATH}/info/refs`,
      handle: async (request, reply, found) => {
        const { service } = request.query as Record<string, unknown>;
        const asked = SERVICES.find((each) => each === service);
        // Without a service, a client wants to read the files of the repository one by one.
        if (asked === undefined) throw notFound();
        const asking = await admitted(request, found, asked);
        return exchange(deps, { request, reply, found }, { ...asking, advertise: true });
      },
    },
    deps,
  );
  for (const service of SERVICES)
    registerService(
      app,
      {
        ...common,
        method: 'POST',
        path: `${PATH}/${service}`,
        handle: (request, reply, found, find) => serve(request, reply, { found, find }, service),
      },
      deps,
    );

  /** What both requests of a clone, fetch or push begin with. */
  async function admitted(
    { headers }: FastifyRequest,
    found: Found,
    service: GitService,
  ): Promise<GitRequest> {
    if (service === 'git-receive-pack') requirePushable(found);
    if (!(await hasGit())) throw gitUnavailable();
    const gitDir = gitDirOf(deps.directory, found.project_id, found.name);
    if (!existsSync(gitDir)) {
      if (!(await isBound(deps.db, deps.directory))) throw repositoriesElsewhere();
      await makeRepository(gitDir, found.default_branch);
    }
    const version = VERSIONS.find((each) => headers['git-protocol'] === `version=${each}`);
    return { gitDir, service, version, advertise: false, gzip: false, userId: found.userId };
  }

  async function serve(
    request: FastifyRequest,
    reply: FastifyReply,
    { found, find }: { found: Found; find: () => Promise<Found> },
    service: GitService,
  ) {
    const pushes = service === 'git-receive-pack';
    const { 'content-encoding': encoding } = request.headers;
    const gzip = encoding === 'gzip' || encoding === 'x-gzip';
    const fits = encoding === undefined || (gzip && !pushes);
    if (request.contentType !== `application/x-${service}-request` || !fits)
      throw unsupportedBody();
    const asking = { ...(await admitted(request, found, service)), gzip };
    const most = pushes ? LIMITS.push + LIMITS.head : LIMITS.fetch;
    const rest = steadyBody(request.raw, most);
    const begun = await beginning(rest, pushes);
    if (!pushes) return exchange(deps, { request, reply, found, begun, rest }, asking);
    const commands = readCommands(begun);
    if (commands === undefined) throw badCommands();
    // What a client sends to learn whether a large push would be let in.
    if (commands.length === 0)
      return reply.header('content-type', `application/x-${service}-result`).send('');
    // Git would do without a hook that it cannot run.
    await access(join(HOOKS, 'pre-receive'), constants.X_OK);
    const { gitDir } = asking;
    const writable = await writableRefs(deps.db, { ...found, gitDir }, commands);
    await removeLocksOf(gitDir, writable);
    const { db, directory } = deps;
    const refuse = () => refusalNow(find, { commands, writable, gitDir, requestId: request.id });
    const afterwards = async () => {
      if (found.name === TASK_REPOSITORY)
        await beginPushedChecks(db, directory, found.project_id, writable);
    };
    return exchange(
      deps,
      { request, reply, found, begun, rest, afterwards },
      { ...asking, env: forHook(writable, deps.size), refuse },
    );
  }

  /** Why a push may not go on that has begun: its caller, or a task, is not what it was. */
  async function refusalNow(
    find: () => Promise<Found>,
    { commands, writable, gitDir, requestId }: Push,
  ): Promise<string | undefined> {
    try {
      const found = await find();
      requirePushable(found);
      const place = { ...found, gitDir };
      const left = await writableRefs(deps.db, place, commands);
      if (left.length < writable.length) return TASK_GONE;
      const direct = commands.filter(({ ref }) => branchBegin(ref) === undefined);
      await recordDirect(deps.db, place, await directRefs(deps.db, place, direct), requestId);
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return (HIDDEN.has(error.code) ? repositoryNotFound() : error).message;
    }
  }
}

interface Push {
  commands: readonly Command[];
  writable: readonly string[];
  gitDir: string;
  requestId: string;
}

const TASK_GONE =
  'A task was deleted whose branch you push, or you may not push to a branch any more: push the ' +
  'others alone';

/** Of the protocol; anything else in the header is as if it were not there. */
const VERSIONS = ['1', '2'] as const;

/** Refusals that do not tell what exists. */
const HIDDEN = new Set(['not_found', 'forbidden', 'key_out_of_scope']);

function requirePushable({ read_only, may_push, archived, is_copy }: Found): void {
  if (read_only) throw keyReadOnly();
  if (!may_push) throw mayNotPush();
  if (archived) throw projectArchived();
  if (is_copy) throw codeOnGitHub();
}

/**
 * What can be received before a process has to work: everything, or so much that its sender means
 * it; of a push at least the list of its references.
 */
async function beginning(rest: AsyncGenerator<Buffer, void>, pushes: boolean): Promise<Buffer> {
  let begun = Buffer.alloc(0);
  for (;;) {
    const commands: Command[] | undefined = pushes ? readCommands(begun) : undefined;
    if (commands !== undefined) return begun;
    if (begun.length >= LIMITS.head) {
      if (pushes) throw tooManyCommands();
      return begun;
    }
    const { value } = await rest.next();
    if (value === undefined) return begun;
    begun = Buffer.concat([begun, value]);
  }
}
