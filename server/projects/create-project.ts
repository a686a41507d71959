import Type from 'typebox';
import { onNewProject } from '../access/new-project.ts';
import { sql } from '../db/sql.ts';
import { type Shown, shownAs } from '../http/change.ts';
import {
  forbidden,
  notFound,
  personalProjectsClosed,
  projectCreationClosed,
  ValidationError,
} from '../http/errors.ts';
import { uuid } from '../http/input/fields.ts';
import { route } from '../http/route.ts';
import { audited, auditRow } from '../platform/audit/audit.ts';
import type { Catalog } from '../platform/catalog/catalog.ts';
import type { Config } from '../platform/config/config.ts';
import { erpErrors, erpOf, modelErrors, notOffered } from './offered.ts';
import { asSeenByCaller, newProject, project } from './project.ts';
import { MOST_PROJECTS, tooManyProjects } from './project-owner.ts';
import {
  hostAttachedLater,
  moreRepositories,
  moreRepositoriesErrors,
  nameOfOtherHost,
  repositoryNameTaken,
  repositorySnapshot,
} from './repository.ts';

/** Makes a project of a workspace, or a personal one. */
export const createProject = ({
  catalog,
  creation,
}: { catalog: Catalog } & Pick<Config, 'creation'>) =>
  route({
    method: 'POST',
    path: '/api/projects',
    area: 'Projects',
    operationId: 'create_project',
    summary: 'Create a project',
    description:
      'Creates a project of the workspace `organization_id`, for its owner, its admins and the ' +
      'members of a team with `can_create_projects`; without `organization_id`, a personal ' +
      'project of the caller. Without `erp_version` and `erp_edition` it is pinned to the first ' +
      'supported version that `get_config` lists, which matters once it works with an ERP. Teams with `add_to_new_projects` join it. Whoever creates it may ' +
      'administer it: a member who is not an admin of the workspace gets the role of a project ' +
      'admin on it. Where `get_config` says so, there are no personal projects, or only operators ' +
      'create any.',
    access: onNewProject(creation.projects),
    body: Type.Object(
      {
        ...newProject,
        repositories: moreRepositories(),
        organization_id: Type.Optional(
          uuid({ description: 'The workspace; without it, the project is personal.' }),
        ),
      },
      { additionalProperties: false },
    ),
    sample: ({ org_id }) => ({
      body: {
        name: 'Web shop',
        organization_id: org_id,
        erp_version: '18.0',
        erp_edition: 'community',
      },
    }),
    responses: { 201: project.shown('The new project.', ['ETag', 'Location']) },
    errors: [
      ...notOffered,
      hostAttachedLater,
      nameOfOtherHost,
      repositoryNameTaken,
      tooManyProjects,
      personalProjectsClosed,
      projectCreationClosed,
    ],
    handle: ({ body, requestId, statement }) => {
      const erp = erpOf(catalog, body);
      const errors = [
        ...erpErrors(catalog, erp),
        ...modelErrors(catalog, body.default_model),
        ...moreRepositoriesErrors(body.repositories),
      ];
      if (errors.length > 0) throw new ValidationError(errors);
      return statement<Shown & { id: string | null; exists: boolean; has_room: boolean }>(
        inserted(body, erp, requestId),
        ({ id, exists, has_room, ...row }) => {
          if (!exists) throw notFound();
          if (!has_room) throw tooManyProjects();
          // The membership ended while the workspace was being locked.
          if (id === null) throw forbidden();
          return shownAs(201, row, `/api/projects/${id}`);
        },
      );
    },
  });

interface NewProject {
  name: string;
  organization_id?: string;
  default_model?: string;
  plan_approval?: string;
  spend_cap?: bigint;
  repositories: { full_name: string }[];
}

// The workspace and the membership are locked, so that neither goes away before the project is
// there: a grant would otherwise make an outside collaborator of a former member (ruling 5.6).
// Lists are by time: these come after `main`, which a trigger adds.
const inserted = (body: NewProject, erp: ReturnType<typeof erpOf>, requestId: string) => ({
  with: sql`
    workspace as materialized (
      select o.id
        from organization o join authorized on o.id = authorized.organization_id
         for key share of o),
    member as materialized (
      select m.user_id
        from membership m
        join workspace on workspace.id = m.organization_id
        join caller on caller.user_id = m.user_id
         for key share of m),
    verdict as materialized (
      select authorized.organization_id is null or exists (select from workspace) as exists,
             authorized.organization_id is null or exists (select from member) as may,
             (select count(*) from (
                select from project p
                 where ${
                   body.organization_id === undefined
                     ? sql`p.owner_user_id = (select user_id from caller)`
                     : sql`p.organization_id = ${body.organization_id}`
                 }
                 limit ${MOST_PROJECTS}) p) < ${MOST_PROJECTS} as has_room
        from authorized),
    changed as (
      insert into project as t
             (organization_id, owner_user_id, name, erp_version, erp_edition, default_model,
              plan_approval, spend_cap)
      select authorized.organization_id, authorized.owner_user_id, ${body.name},
             ${erp.erp_version}, ${erp.erp_edition}, ${body.default_model ?? null},
             ${body.plan_approval ?? 'required'}, ${body.spend_cap ?? null}
        from authorized cross join verdict
       where verdict.exists and verdict.may and verdict.has_room
      returning t as row),
    granted as (
      insert into project_grant (project_id, user_id, role_id)
      select (changed.row).id, caller.user_id, authorized.role_id
        from changed cross join caller cross join authorized
       where authorized.becomes_admin),
    attached as (
      insert into repository as t (project_id, host, full_name, created_at)
      select (changed.row).id, 'local', name, now() + place * interval '1 microsecond'
        from changed
        cross join unnest(${body.repositories.map(({ full_name }) => full_name)}::text[])
                     with ordinality more (name, place)
      returning t as row),
    audited as (${audited('project.create', requestId, project)}),
    audited_repositories as (${auditRow({
      action: 'repository.attach',
      requestId,
      target: sql`(attached.row).id`,
      organization: sql`authorized.organization_id`,
      project: sql`(attached.row).project_id`,
      before: sql`null::jsonb`,
      after: repositorySnapshot(sql`attached.row`),
      from: sql`attached cross join authorized`,
    })})`,
  select: sql`
    select verdict.exists, verdict.has_room, t.id, ${project.columns}
      from authorized
      cross join verdict
      left join changed on true
      cross join lateral (select (changed.row).*) t
      ${asSeenByCaller}`,
});
