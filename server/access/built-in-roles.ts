import { sql } from '../db/sql.ts';

/**
 * The role of a workspace's owner, which no membership has: the workspace names its owner (ruling
 * 2).
 */
export const OWNER = sql`'00000000-0000-4000-8000-000000000001'::uuid`;

/** The role `admin` of a workspace, which is also that of its owner's membership. */
export const ADMIN = sql`'00000000-0000-4000-8000-000000000002'::uuid`;

/** The role `admin` on a project, which is also that of a personal project's owner. */
export const PROJECT_ADMIN = sql`'00000000-0000-4000-8000-000000000012'::uuid`;

/** The custom roles, as `custom`; `built_in_id` is the built-in role that each of them acts as. */
export const CUSTOM_ROLES = sql`
  (select custom.id, custom.organization_id, built_in.id as built_in_id
     from role custom
     join role built_in on built_in.organization_id is null and built_in.scope = custom.scope
                       and built_in.slug = custom.acts_as
    where custom.organization_id is not null) custom`;
