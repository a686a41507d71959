import Type from 'typebox';
import { sql } from '../../db/sql.ts';
import { apiError, fieldError } from '../../http/errors.ts';
import { boolean, oneOf, uuid } from '../../http/input/fields.ts';
import { resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';
import { whyItWaits } from '../../platform/why-it-waits.ts';

const maybe = Type.Optional;

/** The backup of an Odoo database that a project has, from a row `t` of `odoo_dump`. */
export const odooDump = resource(
  'OdooDump',
  {
    id: [uuid(), sql`t.id`, '5a1d2c3b-4e5f-4a6b-8c7d-9e0f1a2b3c4d'],
    project_id: [uuid(), sql`t.project_id`, 'c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11'],
    status: [
      oneOf(['preparing', 'ready', 'failed'], {
        description:
          '`preparing`: a worker restores and neutralises it, and instances wait. `ready`: instances ' +
          'start from it. `failed`: see `reason`; instances are refused until there is another one, or ' +
          'none.',
      }),
      sql`t.state`,
      'ready',
    ],
    reason: [
      maybe(
        Type.String({ description: 'Why it has failed, or what it waits for, as a sentence.' }),
      ),
      sql`coalesce(t.reason, ${whyItWaits(sql`t.state = 'preparing'`)})`,
      undefined,
    ],
    erp_version: [
      Type.String({ description: 'That of its manifest.' }),
      sql`t.erp_version`,
      '19.0',
    ],
    size: [Type.Integer({ description: 'Bytes.' }), sql`t.size`, 48_213_112],
    sha256: [
      Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of the bytes.' }),
      sql`t.sha256`,
      '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
    ],
    production: [
      boolean({ description: 'Whether it is a copy of a production system.' }),
      sql`t.production`,
      true,
    ],
    approved_by_user_id: [
      maybe(
        uuid({
          description: 'The person who has said that a copy of a production system may be used.',
        }),
      ),
      sql`t.approved_by_user_id`,
      '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    ],
    uploaded_by_user_id: [
      uuid(),
      sql`t.uploaded_by_user_id`,
      '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    ],
    created_at: [timestamp(), sql`t.created_at`, '2026-11-29T08:15:30.123Z'],
    prepared_at: [
      maybe({ ...timestamp(), description: 'When it was ready last.' }),
      sql`t.prepared_at`,
      '2026-11-29T08:17:02.456Z',
    ],
  },
  { project: 'project_id', revision: sql`t.state` },
);

export const dumpNotFound = apiError(
  404,
  'odoo_dump_not_found',
  'This project has no dump of an Odoo database: upload one first',
);
export const dumpsNotPrepared = apiError(
  409,
  'odoo_dumps_not_prepared',
  'This server prepares no dumps for the ERP version and edition of the project: ask its operator ' +
    'to set ERP_INSTANCES=command, with a `prepare` in erp_programs (docs/erp.md)',
);
export const approvalNeedsPerson = apiError(
  403,
  'approval_needs_person',
  'Only a person may say that a copy of a production system is used: upload it signed in, or with ' +
    'an API key of your own, not with that of a service account',
);
export const dumpFailed = apiError(
  409,
  'odoo_dump_failed',
  'The dump of the project could not be prepared: an admin uploads another one, or deletes it',
);
export const dumpOfOtherVersion = apiError(
  409,
  'odoo_dump_of_other_version',
  'The dump of the project is of another ERP version than the project: an admin uploads one of its ' +
    'version, or deletes it',
);

/** 422 at ["query","approve_production"]. */
export const approvalRequired = fieldError(
  'approval_required',
  ['query', 'approve_production'],
  'A copy of a production system is used only if you say so: set approve_production to true as well',
);

const ofFile = (type: string, message: string) => fieldError(type, ['body'], message);

/** 422 at ["body"]: what is wrong with the file. */
export const notZip = ofFile(
  'odoo_dump_not_zip',
  'The file should be a backup of a database as Odoo makes it: a zip with its filestore',
);
export const incomplete = ofFile(
  'odoo_dump_incomplete',
  'The zip should have dump.sql and manifest.json at its top, as a backup that Odoo has made',
);
export const otherVersion = ofFile(
  'odoo_dump_version',
  'The database should be of the ERP version that the project has: its manifest.json names another',
);
export const otherEdition = ofFile(
  'odoo_dump_edition',
  'The database should have no modules of the Enterprise edition, which the project does not have',
);
export const unpacksTooLarge = ofFile(
  'odoo_dump_unpacks_too_large',
  'The zip should hold at most 300,000 files, together at most eight times as large as a dump may ' +
    'be, and none that is packed to less than a two-hundredth',
);
export const unsafe = ofFile(
  'odoo_dump_unsafe',
  'The zip should hold plain files alone, each once, with names that do not lead out of it: no ' +
    'links, nothing encrypted',
);
export const fileErrors = [notZip, incomplete, otherVersion, otherEdition, unpacksTooLarge, unsafe];
