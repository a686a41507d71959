/**
 * The rulings about who is in a workspace, implemented a second time, without SQL. People are
 * numbers.
 */

/** `lead` is a custom role of the workspace, which acts as admin. */
export type WorkspaceRole = 'admin' | 'member' | 'viewer' | 'lead';
export type ProjectRole = 'admin' | 'member' | 'viewer';

export interface State {
  /** The workspace was deleted. */
  gone: boolean;
  owner: number;
  roles: Record<number, WorkspaceRole>;
  inTeam: number[];
  /** Roles set on the one project of the workspace. */
  overrides: Record<number, ProjectRole>;
  /** People who can act at all. */
  active: number[];
}

export type Step = { by: number; whom: number } & (
  | { do: 'update'; role: WorkspaceRole }
  | { do: 'set'; role: ProjectRole }
  | { do: 'remove' | 'leave' | 'transfer' | 'join team' | 'leave team' | 'unset' | 'delete' }
);

const canManage = (role: string | undefined) => ['owner', 'admin', 'lead'].includes(role ?? '');

const roleOf = ({ owner, roles, gone }: State, person: number): string | undefined =>
  gone ? undefined : person === owner ? 'owner' : roles[person];

const onProject = (state: State, person: number): string | undefined => {
  const role = roleOf(state, person);
  return role === undefined || canManage(role) ? role : (state.overrides[person] ?? role);
};

/** Who can open the project. */
export const canOpen = (state: State): number[] =>
  state.active.filter((person) => onProject(state, person) !== undefined);

/** The status of the answer, and the state afterwards. */
function apply(before: State, step: Step): { status: number; state: State } {
  const state = structuredClone(before);
  return { status: perform(state, step), state };
}

function perform(state: State, step: Step): number {
  const { by, whom } = step;
  if (!state.active.includes(by)) return 401;
  if (step.do === 'set' || step.do === 'unset') return override(state, step);
  if (state.gone) return 404;
  const mine = roleOf(state, by);
  const theirs = roleOf(state, whom);
  switch (step.do) {
    case 'leave':
      return mine === undefined ? 403 : end(state, by);
    case 'delete':
      if (mine !== 'owner') return 403;
      Object.assign(state, { gone: true, roles: {}, inTeam: [], overrides: {} });
      return 200;
    case 'transfer':
      if (mine !== 'owner') return 403;
      if (by === whom || theirs === undefined || !state.active.includes(whom)) return 422;
      state.owner = whom;
      state.roles[whom] = 'admin';
      return 200;
  }
  // Who may not manage people does not learn who is there (decision 7).
  if (!canManage(mine)) return 403;
  if (theirs === undefined) return 404;
  switch (step.do) {
    case 'update':
      if (theirs === 'owner') return 409;
      state.roles[whom] = step.role;
      return 200;
    case 'remove':
      return end(state, whom);
    case 'join team':
      if (!state.inTeam.includes(whom)) state.inTeam.push(whom);
      return 204;
    case 'leave team':
      state.inTeam = state.inTeam.filter((each) => each !== whom);
      return 204;
  }
}

function end(state: State, person: number): number {
  if (person === state.owner) return 409;
  delete state.roles[person];
  delete state.overrides[person];
  state.inTeam = state.inTeam.filter((each) => each !== person);
  return 200;
}

function override(state: State, step: Step): number {
  const { by, whom } = step;
  const isThere = roleOf(state, whom) !== undefined;
  const mayDoSo = canManage(onProject(state, by)) || (step.do === 'unset' && by === whom);
  if (!mayDoSo) return by === whom && !isThere ? 404 : 403;
  if (!isThere) return 404;
  if (step.do === 'set') {
    state.overrides[whom] = step.role;
    return 200;
  }
  if (state.overrides[whom] === undefined) return 409;
  delete state.overrides[whom];
  return 204;
}

const permutations = <Item>(items: readonly Item[]): Item[][] =>
  items.length < 2
    ? [[...items]]
    : items.flatMap((item, i) =>
        permutations(items.toSpliced(i, 1)).map((rest) => [item, ...rest]),
      );

/**
 * The states that the steps, made one after the other in some order, lead to with these answers.
 */
export const explanations = (before: State, steps: readonly Step[], statuses: number[]): State[] =>
  permutations(steps.map((step, i) => ({ step, status: statuses[i] }))).flatMap((order) => {
    let state = before;
    for (const { step, status } of order) {
      const next = apply(state, step);
      if (next.status !== status) return [];
      state = next.state;
    }
    return [state];
  });
