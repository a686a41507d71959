import type { RequestHandler } from 'express';
import { z } from 'zod';
import { callerOf } from './auth.js';
import { HttpError } from './errors.js';
import { byRankAndName, peopleOf, shown, withPeople } from './people.js';
import { builtInRoles, prisma } from './prisma.js';

const Params = z.object({ projectId: z.guid() });

export const listPeople: RequestHandler = async (request, response) => {
  const { projectId } = Params.parse(request.params);
  const { userId } = callerOf(response);
  const project = await prisma.project.findUnique({
    where: { id: projectId },
    select: withPeople(),
  });
  if (!project) throw new HttpError(404, 'No such project');
  const people = peopleOf(project, builtInRoles);
  const self = people.find(({ user }) => user.id === userId);
  if (!self || self.hiddenReason) throw new HttpError(403, 'Not allowed');
  const seesHidden = ['owner', 'admin'].includes(self.role.actsAs);
  response.json(
    people
      .filter(({ hiddenReason }) => seesHidden || hiddenReason === undefined)
      .sort(byRankAndName)
      .map(shown),
  );
};
