import { onProjectMove } from '../access/new-project.ts';
import { apiError, personalProjectsClosed } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { recordChange } from '../platform/audit/audit.ts';
import type { Config } from '../platform/config/config.ts';
import { project } from './project.ts';
import { give, nextOwner, showGiven, tooManyProjects } from './project-owner.ts';

const notReleased = apiError(
  409,
  'not_released',
  'The project has an owner: only a project whose workspace was deleted can be claimed',
);

/** Gives a released project (ruling 3.5) an owner again. */
export const claimProject = ({ creation }: Pick<Config, 'creation'>) =>
  route({
    method: 'POST',
    path: '/api/projects/{project_id}/claim',
    area: 'Projects',
    operationId: 'claim_project',
    summary: 'Claim a project without an owner',
    description:
      'Gives a project whose workspace was deleted to the workspace `organization_id`, or ' +
      'without it to the caller. Only an outside collaborator with the role `admin` on it, who ' +
      'may also create projects there. The roles of other people on it stay.',
    access: onProjectMove('claim_project', creation.projects),
    auditDenied: { action: 'project.claim', target: 'project_id' },
    params: ids('project_id'),
    body: nextOwner,
    sample: ({ org_id }) => ({ body: { organization_id: org_id } }),
    responses: { 200: project.shown('The project, with its owner.') },
    errors: [notReleased, tooManyProjects, personalProjectsClosed],
    handle: ({ requestId, transaction }) =>
      transaction(async (tx, { userId, keyId, sessionId, ...move }) => {
        const { project_id, organization_id, owner_user_id, next } = move;
        if (organization_id !== null || owner_user_id !== null) throw notReleased();
        await give(tx, move, userId);
        await recordChange(tx, {
          caller: { userId, keyId, sessionId },
          action: 'project.claim',
          target: project_id,
          organizationId: next.organization_id,
          projectId: project_id,
          before: { organization_id, owner_user_id },
          after: { organization_id: next.organization_id, owner_user_id: next.owner_user_id },
          requestId,
        });
        return showGiven(tx, move, userId);
      }),
  });
