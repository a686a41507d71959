import type { Route } from '../http/route.ts';
import { createAttachment } from './create-attachment.ts';
import { createProjectAttachment } from './create-project-attachment.ts';
import { deleteAttachment } from './delete-attachment.ts';
import { getArtifact } from './get-artifact.ts';
import { getArtifactContent } from './get-artifact-content.ts';
import { getAttachmentContent } from './get-attachment-content.ts';
import { listArtifacts } from './list-artifacts.ts';
import { listAttachments } from './list-attachments.ts';
import type { AttachmentStore } from './receive-attachment.ts';

/** The files of tasks: what people give to them, and what they produce. */
export const fileRoutes = (services: AttachmentStore): Route[] => [
  listAttachments,
  createAttachment(services),
  createProjectAttachment(services),
  getAttachmentContent(services),
  deleteAttachment,
  listArtifacts,
  getArtifact,
  getArtifactContent(services),
];
