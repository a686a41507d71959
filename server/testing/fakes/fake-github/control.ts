import type { FakeGithub } from './fake.ts';
import { fullName, type Permissions, type Repository, repositoryNamed } from './state.ts';
import type { Answered } from './typed.ts';

type Body = Record<string, unknown>;

const text = (body: Body, name: string): string => {
  const value = body[name];
  if (typeof value !== 'string') throw new Error(`${name} is missing`);
  return value;
};

const number = (body: Body, name: string): number => {
  const value = Number(body[name] ?? Number.NaN);
  if (!Number.isInteger(value)) throw new Error(`${name} is missing`);
  return value;
};

function repository(fake: FakeGithub, body: Body): Repository {
  const found = repositoryNamed(fake.state, text(body, 'repository'));
  if (found === undefined) throw new Error(`There is no repository ${body.repository}`);
  return found;
}

/** The commit that is named, or the last one of the branch. */
function sha(fake: FakeGithub, body: Body): string {
  const named = body.sha ?? repository(fake, body).branches.get(text(body, 'branch'));
  if (typeof named !== 'string') throw new Error(`There is no branch ${body.branch}`);
  return named;
}

const briefly = (each: Repository) => ({
  id: each.id,
  full_name: fullName(each),
  private: each.private,
  branches: Object.fromEntries(each.branches),
  pulls: [...each.pulls.values()].map(({ number: n, state, head, base }) => ({
    number: n,
    state,
    head: head.ref,
    base: base.ref,
  })),
});

// Each body has the arguments of the function of the same name, and repositories by their names.
const COMMANDS: Record<string, (fake: FakeGithub, body: Body) => unknown> = {
  'POST install': (fake, body) => fake.install(text(body, 'login'), { type: body.type as 'User' }),
  'POST sign-in': (fake, body) => {
    const { account, organizations } = fake.signIn(text(body, 'login'), rest(body));
    return { login: account.login, organizations: [...organizations] };
  },
  'POST deny': (fake) => fake.deny(),
  'POST set-up': (fake, body) => fake.setUp(body),
  'POST suspend': (fake, body) => fake.suspend(number(body, 'installation')),
  'POST unsuspend': (fake, body) => fake.unsuspend(number(body, 'installation')),
  'POST uninstall': (fake, body) => fake.uninstall(number(body, 'installation')),
  'POST grant': (fake, body) =>
    fake.grant(number(body, 'installation'), (body.permissions ?? {}) as Permissions),
  'POST add-repository': async (fake, body) =>
    briefly(await fake.addRepository(text(body, 'repository'), body)),
  'POST rename': (fake, body) => fake.rename(repository(fake, body), text(body, 'name')),
  'POST transfer': (fake, body) => fake.transfer(repository(fake, body), text(body, 'login')),
  'POST remove-repository': (fake, body) => fake.removeRepository(repository(fake, body)),
  'POST commit': (fake, body) => fake.commit(repository(fake, body), body as never),
  'POST delete-branch': (fake, body) =>
    fake.deleteBranch(repository(fake, body), text(body, 'branch')),
  'POST open-pull': async (fake, body) => {
    const { number: opened } = await fake.openPull(repository(fake, body), {
      head: text(body, 'head'),
      title: text(body, 'title'),
    });
    return { number: opened };
  },
  'POST protect': (fake, body) =>
    fake.protect(repository(fake, body), text(body, 'branch'), (body.required ?? []) as string[]),
  'POST merge-pull': (fake, body) => fake.mergePull(repository(fake, body), number(body, 'number')),
  'POST close-pull': (fake, body) => fake.closePull(repository(fake, body), number(body, 'number')),
  'POST check': (fake, body) =>
    fake.check(repository(fake, body), sha(fake, body), rest(body) as never),
  'POST status': (fake, body) =>
    fake.status(repository(fake, body), sha(fake, body), rest(body) as never),
  'POST deploy': (fake, body) => {
    const place = repository(fake, body);
    const { state = 'success', ...what } = rest(body);
    const deployment = fake.deploy(place, { ref: text(body, 'branch'), ...what });
    fake.deployStatus(place, deployment, state as never);
    return deployment;
  },
  'POST fault': (fake, body) => fake.fault(body as never),
  'POST clear-faults': (fake) => fake.clearFaults(),
  'POST exhaust': (fake, body) => fake.exhaust(number(body, 'installation'), body),
  'POST webhook': (fake, body) => fake.webhook(text(body, 'url')),
  'POST automatic': (fake, body) => fake.automatic(body.off === true ? undefined : body),
  'POST lose-events': (fake, body) => fake.loseEvents(number(body, 'number')),
  'POST deliver': (fake, body) => fake.deliver(body),
  'GET repositories': (fake) => [...fake.state.repositories.values()].map(briefly),
  'GET installations': (fake) => [...fake.state.installations.values()],
  'GET requests': (fake) => fake.requests,
  'GET events': (fake) => fake.state.events.map(({ id, type }) => ({ id, type })),
  'GET faults': (fake) => fake.faults,
};

/** Without what only says where. */
function rest({ repository: _, branch: __, sha: ___, ...more }: Body): Body {
  return more;
}

/** `/_control/{command}` with a JSON body, or for GET a query; for tests and by hand only. */
export async function control(
  fake: FakeGithub,
  method: string,
  name: string,
  input: string,
): Promise<Answered> {
  const command = COMMANDS[`${method} ${name}`];
  if (command === undefined) return { status: 404, body: { commands: Object.keys(COMMANDS) } };
  try {
    const body = JSON.parse(input || '{}') as Body;
    return { status: 200, body: (await command(fake, body)) ?? { ok: true } };
  } catch (error) {
    return { status: 400, body: { error: error instanceof Error ? error.message : String(error) } };
  }
}
