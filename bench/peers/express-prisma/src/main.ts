import express from 'express';
import { approvePlan } from './approve-plan.js';
import { authenticate } from './auth.js';
import { renderError } from './errors.js';
import { listInvitations } from './list-invitations.js';
import { listPeople } from './list-people.js';
import { prisma } from './prisma.js';
import { updateTeam } from './update-team.js';

const app = express();
app.use(express.json());
app.use(authenticate);
app.get('/api/projects/:projectId/people', listPeople);
app.get('/api/organizations/:orgId/invitations', listInvitations);
app.put('/api/organizations/:orgId/teams/:teamId', updateTeam);
app.post('/api/tasks/:taskId/plan/approve', approvePlan);
app.use(renderError);

const server = app.listen(
  Number(process.env.PORT ?? 3000),
  process.env.HOST ?? '127.0.0.1',
  (error) => {
    if (error) throw error;
    console.log('ready');
  },
);

process.once('SIGTERM', () => server.close(() => prisma.$disconnect()));
