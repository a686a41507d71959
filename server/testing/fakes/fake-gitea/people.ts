import { type Handler, inRepository, NOT_FOUND, refusal, rightsOf } from './calls.ts';
import { shownPerson } from './state.ts';

/** Accounts, and what they may do in a repository. */
export const PEOPLE_ROUTES: readonly [method: string, path: string, handler: Handler][] = [
  ['GET', '/user', ({ by }) => ({ status: 200, body: shownPerson(by) })],
  [
    'PUT',
    '/repos/:/:/collaborators/:',
    inRepository(({ params, body, state }, { collaborators }) => {
      const [login = ''] = params;
      if (!state.people.has(login)) return NOT_FOUND;
      collaborators.set(login, String(body.permission ?? 'write'));
      return { status: 204 };
    }),
  ],
  [
    'DELETE',
    '/repos/:/:/collaborators/:',
    inRepository(({ params }, { collaborators }) => {
      collaborators.delete(params[0] ?? '');
      return { status: 204 };
    }),
  ],
  [
    'GET',
    '/repos/:/:/collaborators/:/permission',
    inRepository(({ by, state, params }, repository) => {
      const person = state.people.get((params[0] ?? '').toLowerCase());
      const mayAsk = by === person || ['owner', 'admin'].includes(rightsOf(by, repository));
      if (!mayAsk) return refusal(403, 'Only admins can query all permissions');
      if (person === undefined) return refusal(404, 'user does not exist');
      const permission = rightsOf(person, repository);
      return {
        status: 200,
        body: { permission, role_name: permission, user: shownPerson(person) },
      };
    }),
  ],
];
