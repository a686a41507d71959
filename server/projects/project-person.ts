import Type, { type TSchema } from 'typebox';
import { sql } from '../db/sql.ts';
import { apiError } from '../http/errors.ts';
import { color, uuid } from '../http/input/fields.ts';
import { ROLE_SLUG, resource } from '../http/resource.ts';

const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);
const roleSlug = () => maybe(Type.String({ pattern: ROLE_SLUG }));

/**
 * A person who can open the project, and the role they act with on it (spec: Project person), from
 * a row `p` of the view `project_person`.
 */
export const projectPerson = resource('ProjectPerson', {
  email: [Type.String(), sql`p.email`, 'ada@example.com'],
  is_org_member: [Type.Boolean(), sql`p.is_org_member`, true],
  is_owner: [Type.Boolean(), sql`p.is_owner`, true],
  source: [Type.Enum(['org', 'override', 'collaborator']), sql`p.source`, 'org'],
  user_id: [uuid(), sql`p.user_id`, '3fa85f64-5717-4562-b3fc-2c963f66afa6'],
  effective_role: [roleSlug(), sql`p.effective_role`, 'owner'],
  effective_role_color: [maybe(color()), sql`p.effective_role_color`, '#7C3AED'],
  effective_role_name: [maybe(Type.String()), sql`p.effective_role_name`, 'Owner'],
  hidden_reason: [
    maybe(Type.Enum(['deactivated', 'two_factor_required'])),
    sql`p.hidden_reason`,
    undefined,
  ],
  is_active: [maybe(Type.Boolean()), sql`p.hidden_reason is null`, true],
  name: [maybe(Type.String()), sql`p.name`, 'Ada Byron'],
  kind: [
    maybe(Type.Enum(['service'], { description: 'Of service accounts; absent for people.' })),
    sql`nullif(p.kind, 'person')`,
    undefined,
  ],
  org_role: [roleSlug(), sql`p.org_role`, 'owner'],
  org_role_color: [maybe(color()), sql`p.org_role_color`, '#7C3AED'],
  org_role_name: [maybe(Type.String()), sql`p.org_role_name`, 'Owner'],
  project_role: [roleSlug(), sql`p.project_role`, undefined],
  project_role_color: [maybe(color()), sql`p.project_role_color`, undefined],
  project_role_name: [maybe(Type.String()), sql`p.project_role_name`, undefined],
});

/** Also what `onPerson` answers to callers who may not know who is on the project. */
export const personNotFound = apiError(
  404,
  'not_found',
  'No person with this id is on the project: invite them to the project or to its workspace',
);

export const isOwner = apiError(
  409,
  'is_owner',
  'This person owns the project and always acts as its admin: transfer the project first',
);
