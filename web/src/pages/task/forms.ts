/** The forms and dialogs of a task, which arrive as one file. */

export { AnswerForm } from './answer-form.tsx';
export { AskForChanges, RejectPlan } from './answer-plan.tsx';
export { CommentForm } from './comment-form.tsx';
export { ConfirmMerge } from './confirm-merge.tsx';
export { PlanRevision } from './plan-revision.tsx';
export { ArchiveTask, DeleteTask, TaskSettings } from './task-dialogs.tsx';
