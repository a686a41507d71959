import Type from 'typebox';
import { sql } from '../../db/sql.ts';
import { revision } from '../../http/change.ts';
import { apiError, fieldError } from '../../http/errors.ts';
import { boolean, uuid } from '../../http/input/fields.ts';
import { name } from '../../http/input/names.ts';
import { resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';

const memberCount = sql`(select count(*) from team_member where team_id = t.id)`;
const projectCount = sql`(select count(*) from team_project where team_id = t.id)`;

/** A team of a workspace (spec: Team), from a row `t` of `team`. */
export const team = resource(
  'Team',
  {
    id: [uuid(), sql`t.id`, '5d0f9a4e-7c1b-4e2a-8f3d-6b7c8d9e0f1a'],
    organization_id: [uuid(), sql`t.organization_id`, '3fa85f64-5717-4562-b3fc-2c963f66afa6'],
    name: [name({ maxLength: 100 }), sql`t.name`, 'Core', 'writable'],
    add_to_new_projects: [boolean(), sql`t.add_to_new_projects`, true, 'writable'],
    can_create_projects: [boolean(), sql`t.can_create_projects`, true, 'writable'],
    can_merge_production: [boolean(), sql`t.can_merge_production`, false, 'writable'],
    can_merge_staging: [boolean(), sql`t.can_merge_staging`, true, 'writable'],
    created_at: [timestamp(), sql`t.created_at`, '2026-11-20T09:00:00.000Z'],
    updated_at: [timestamp(), sql`t.updated_at`, '2026-11-21T08:15:30.123Z'],
    member_count: [Type.Integer(), memberCount, 3],
    project_count: [Type.Integer(), projectCount, 2],
  },
  {
    // The counts also change when people leave the workspace, and when projects come and go.
    revision: sql`concat_ws('-', ${revision(sql`t.updated_at`)}, ${memberCount}, ${projectCount})`,
  },
);

export const teamNameTaken = fieldError(
  'team_name_taken',
  ['body', 'name'],
  'Another team in this workspace already has this name: choose a different one',
);

export const teamChanged = apiError(
  412,
  'team_changed',
  'The team has changed since you read it: read it again, then update it',
);
