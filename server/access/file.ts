import { sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';
import { allowed, deniedBecause, deniedUnless, standing } from './project.ts';
import type { Permission } from './roles.ts';

/** A file of a task, and its project. */
interface OfTask {
  task_id: string;
  project_id: string;
  organization_id: string | null;
}

/**
 * The attachment in the path, of the task in the path, by the permissions on its project; for
 * whoever uploaded it, `ofUploader` is enough.
 */
export const onAttachment = (
  permission: Permission,
  ofUploader: Permission = permission,
): Access<{ params: { task_id: string; attachment_id: string } }, OfTask> => ({
  permission,
  sql: ({ params: { task_id, attachment_id } }) => sql`
    access as materialized (
      select true as found, f.id as attachment_id, f.task_id, p.id as project_id,
             p.organization_id,
             ${deniedUnless(sql`
               case when f.uploaded_by_user_id = caller.user_id
                    then ${allowed(ofUploader)} else ${allowed(permission)} end`)} as denied_because
        from (select * from attachment where id = ${attachment_id} and task_id = ${task_id}) f
        join project p on p.id = f.project_id ${standing})`,
});

/** The artifact in the path, of the task in the path, by the permissions on its project. */
export const onArtifact = (
  permission: Permission,
): Access<{ params: { task_id: string; artifact_id: string } }, OfTask> => ({
  permission,
  sql: ({ params: { task_id, artifact_id } }) => sql`
    access as materialized (
      select true as found, f.id as artifact_id, f.task_id, p.id as project_id,
             p.organization_id, ${deniedBecause(permission)} as denied_because
        from (select * from artifact where id = ${artifact_id} and task_id = ${task_id}) f
        join project p on p.id = f.project_id ${standing})`,
});
