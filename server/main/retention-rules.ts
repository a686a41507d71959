import { oldGithubDeliveries } from '../code/github/deliveries.ts';
import { oldCheckLogs, oldDeployLogs, oldPodLogs } from '../code/old-logs.ts';
import type { RetentionRule } from '../db/retention-rule.ts';
import { oldAnswers } from '../http/idempotency.ts';
import { oldNotifications } from '../identity/notifications/old-notifications.ts';
import { tracesOfPeople } from '../identity/sign-in/leaving/erase-traces.ts';
import { oldSignIns } from '../identity/sign-in/old-sign-ins.ts';
import { oldInvitations } from '../organizations/invitations/old-invitations.ts';
import type { Config } from '../platform/config/config.ts';
import { oldMail } from '../platform/mail/outbox.ts';
import { oldDeliveries } from '../platform/webhooks/queue.ts';
import { oldConversations, oldFiles } from '../tasks/archived-tasks.ts';
import { oldEvents } from '../tasks/events/retention.ts';
import type { TaskEvents } from '../tasks/events/task-events.ts';
import { oldRuns } from '../tasks/routines/old-runs.ts';

/** All that is removed when it is old enough (docs/operations/privacy.md). */
export const retentionRules = (
  { retention }: Pick<Config, 'retention'>,
  { log }: Pick<TaskEvents, 'log'>,
): RetentionRule[] => [
  tracesOfPeople,
  oldEvents(log, retention.events),
  oldCheckLogs(retention.logs),
  oldDeployLogs(retention.logs),
  oldPodLogs(retention.logs),
  oldConversations(retention.conversations),
  oldFiles(retention.files),
  oldAnswers(retention.idempotency),
  oldDeliveries(retention.webhooks),
  oldGithubDeliveries(retention.webhooks),
  oldMail(retention.mail),
  ...oldNotifications(retention.notifications),
  oldRuns(retention.routineRuns),
  ...oldSignIns(retention.signIns),
  oldInvitations(retention.invitations),
];
