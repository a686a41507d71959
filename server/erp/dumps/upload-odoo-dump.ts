import { randomUUID } from 'node:crypto';
import Type from 'typebox';
import { onProject } from '../../access/project.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { ApiError, badRequest, type FieldErrorKind } from '../../http/errors.ts';
import { boolean } from '../../http/input/fields.ts';
import { ids, type Route, route } from '../../http/route.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import { asAnswer, fileStoreUnavailable, storageFull } from '../../platform/files/errors.ts';
import type { FileStore, StoredBytes } from '../../platform/files/file-store.ts';
import { requireSpace } from '../../platform/files/usage.ts';
import type { InstanceSettings } from '../instances/offered.ts';
import {
  approvalNeedsPerson,
  approvalRequired,
  dumpsNotPrepared,
  fileErrors,
  incomplete,
  notZip,
  odooDump,
  otherEdition,
  otherVersion,
  unpacksTooLarge,
  unsafe,
} from './odoo-dump.ts';
import { checkDump, DumpFault, type DumpManifest, type Fault } from './open-dump.ts';

export interface DumpServices {
  instances: InstanceSettings;
  /** The versions and editions for which dumps are prepared, each as "version edition". */
  erpsOfDumps: readonly string[];
  files: FileStore;
  filesPerProject: number;
}

/** How much larger than the largest dump its files may be together. */
const UNPACKED = 8;

/** Gives a project the backup of an Odoo database, from which its instances start. */
export const uploadOdooDump = ({
  instances: { dumpBytes },
  erpsOfDumps,
  files,
  filesPerProject,
}: DumpServices): Route =>
  route({
    method: 'PUT',
    path: '/api/projects/{project_id}/odoo-dump',
    area: 'Odoo Connections',
    operationId: 'upload_odoo_dump',
    wakes: true,
    summary: 'Upload a dump of an Odoo database',
    description:
      'Send a backup as Odoo makes it, a zip with `dump.sql`, `manifest.json` and the filestore, as ' +
      'the body. A worker restores it in a sandbox, neutralises it, clears all passwords and keys, and ' +
      'checks that: from then on, the ERP instances of tasks start from it. It replaces the dump ' +
      'that the project has. `production` must say whether it is a copy of a production system; ' +
      'if it is, a person must approve that with `approve_production`. Admins of the project, and ' +
      'the owner and admins of its workspace only.',
    access: onProject('update_project'),
    params: ids('project_id'),
    query: Type.Object({
      production: boolean({ description: 'Whether it is a copy of a production system.' }),
      approve_production: boolean({
        default: false,
        description: 'That a copy of a production system may be used, in the word of a person.',
      }),
    }),
    upload: { maxBytes: dumpBytes },
    sample: () => ({ query: { production: 'true', approve_production: 'true' } }),
    responses: { 201: odooDump.shown('The dump, which is being prepared.', []) },
    limit: 'uploads',
    errors: [
      dumpsNotPrepared,
      approvalNeedsPerson,
      approvalRequired,
      ...fileErrors,
      storageFull,
      fileStoreUnavailable,
      badRequest,
    ],
    handle: async ({ query, upload, headers, requestId, load, begin, transaction }) => {
      const { production, approve_production } = query;
      if (production && !approve_production) throw approvalRequired();
      const by = await load();
      const announced = Math.min(Number(headers['content-length'] ?? 0), dumpBytes);
      await begin(async (tx) => {
        const { erp, person, replaced } = await beforehand(tx, by);
        if (!erpsOfDumps.includes(erp)) throw dumpsNotPrepared();
        if (production && !person) throw approvalNeedsPerson();
        await requireSpace(tx, by.project_id, filesPerProject, announced - replaced);
      });
      const key = `${by.project_id}/${randomUUID()}`;
      try {
        const stored = await files.put(key, upload.bytes, dumpBytes);
        const manifest = await checked(files, { ...stored, key }, dumpBytes * UNPACKED);
        return await transaction(async (tx, caller) => {
          const { version, edition, before } = await remove(tx, caller.project_id);
          if (manifest.erpVersion !== version) throw otherVersion(manifest.erpVersion.slice(0, 50));
          if (manifest.enterprise && edition !== 'enterprise') throw otherEdition();
          const dump = { ...stored, ...manifest, key, production };
          const { item, id, ...after } = await insert(tx, caller, dump);
          await requireSpace(tx, caller.project_id, filesPerProject);
          await recordChange(tx, {
            caller,
            action: 'odoo_dump.upload',
            target: id,
            requestId,
            organizationId: caller.organization_id,
            projectId: caller.project_id,
            ...(before && { before }),
            after,
          });
          return { status: 201, body: item };
        });
      } catch (error) {
        // After any other error the row may be there. If it is not, the hourly search removes the bytes.
        if (error instanceof ApiError) await files.delete([key]).catch(() => {});
        throw asAnswer(error);
      }
    },
  });

const FAULTS: Record<Fault, FieldErrorKind> = {
  not_zip: notZip,
  incomplete,
  too_large: unpacksTooLarge,
  unsafe,
};

async function checked(
  files: FileStore,
  { key, size }: { key: string; size: number },
  mostUnpacked: number,
): Promise<DumpManifest> {
  try {
    return await checkDump((start, end) => files.get(key, start, end), { size, mostUnpacked });
  } catch (error) {
    throw error instanceof DumpFault ? FAULTS[error.fault]() : error;
  }
}

interface Place extends Caller {
  project_id: string;
  organization_id: string | null;
}

/**
 * What is known before the file comes. `person`: service accounts have keys of this API, connected
 * applications have none that opens it. `replaced`: bytes of a dump that makes room for this one.
 */
const beforehand = (tx: Tx, { project_id, userId }: Place) =>
  tx.one<{ erp: string; person: boolean; replaced: number }>(sql`
    select p.erp_version || ' ' || p.erp_edition as erp,
           exists (select from app_user where id = ${userId} and kind = 'person') as person,
           coalesce(d.size, 0)::float8 as replaced
      from project p left join odoo_dump d on d.project_id = p.id
     where p.id = ${project_id}`);

interface Removed {
  sha256: string;
  production: boolean;
}

/**
 * Removes the dump that the project has, and reads what its next one has to fit. Its bytes, and what was
 * prepared of it, are removed within minutes.
 */
const remove = (tx: Tx, projectId: string) =>
  tx.one<{ version: string; edition: string; before: Removed | null }>(sql`
    with deleted as (
      delete from odoo_dump where project_id = ${projectId} returning sha256, production)
    select erp_version as version, erp_edition as edition,
           (select to_jsonb(deleted) from deleted) as before
      from project where id = ${projectId}`);

/** The project is locked: of two at once, the second replaces the first. */
function insert(
  tx: Tx,
  caller: Place,
  dump: StoredBytes & DumpManifest & { key: string; production: boolean },
) {
  return tx.one<{ item: string; id: string; sha256: string; production: boolean }>(sql`
    insert into odoo_dump as t
           (project_id, uploaded_by_user_id, production, approved_by_user_id, erp_version, size,
            unpacked_size, sha256, storage_key)
    values (${caller.project_id}, ${caller.userId}, ${dump.production},
            ${dump.production ? caller.userId : null}, ${dump.erpVersion}, ${dump.size},
            ${dump.unpacked}, ${dump.sha256}, ${dump.key})
    returning ${odooDump.json} as item, t.id, t.size::float8 as size, t.sha256, t.production,
              t.erp_version`);
}
