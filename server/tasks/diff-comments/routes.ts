import type { TaskDiffs } from '../../code/index.ts';
import type { Route } from '../../http/route.ts';
import { createDiffComment } from './create-diff-comment.ts';
import { deleteDiffComment } from './delete-diff-comment.ts';
import { listDiffComments } from './list-diff-comments.ts';
import { sendDiffComments } from './send-diff-comments.ts';
import { updateDiffComment } from './update-diff-comment.ts';

export const diffCommentRoutes = (services: { diffs: TaskDiffs }): Route[] => [
  listDiffComments(services),
  createDiffComment(services),
  updateDiffComment,
  deleteDiffComment,
  sendDiffComments,
];
