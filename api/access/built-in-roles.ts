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
