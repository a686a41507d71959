import Type from 'typebox';
import { microUsd } from '../../server/billing/ledger/money.ts';
import { isBranchName } from '../../server/http/input/branch-names.ts';
import { nameFault } from '../../server/http/input/names.ts';
import { LOCAL_REPOSITORY } from '../../server/http/input/repository-names.ts';
import { hashKey } from '../../server/identity/keys/key.ts';
import { clean } from './clean.ts';
import { instructions, projectSettings } from './project-settings.ts';
import { ROLE_SLUG } from './roles.ts';
import { checked, filled, list, strict } from './schema-parts.ts';

/** The structure of a world file. references.ts checks what one part says about another. */

const MAX_BALANCE = 1_000_000_000_000_000n; // 10^9 USD, the cap of every account
const TEN_YEARS = 87_600;

/**
 * Why a text has control characters, or is not 1 to `maximum` code points long after trimming and
 * normalization.
 */
function textFault(value: string, maximum: number): string | undefined {
  if (!value.isWellFormed()) return 'contains half of a surrogate pair, which is not valid Unicode';
  const text = clean(value);
  if (/\p{Cc}/u.test(text)) return 'must not contain control characters';
  const length = Array.from(text).length;
  if (length >= 1 && length <= maximum) return undefined;
  return `must have 1 to ${maximum} characters, not ${length}`;
}

const words = (maximum: number) =>
  Type.Decode(
    checked((value) => textFault(value, maximum)),
    clean,
  );

/** A name that people tell apart by eye (ruling 1.16). */
const name = (maximum: number) =>
  Type.Decode(
    checked((value) => textFault(value, maximum) ?? nameFault(clean(value))?.advice),
    clean,
  );

/** A name inside the file, in any form; it never reaches the database. */
const handle = () =>
  checked((value) =>
    value !== '' && value.isWellFormed()
      ? undefined
      : 'must be a handle: any text that is not empty',
  );

const email = () => {
  const fault = (value: string): string | undefined => {
    const valid = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(clean(value)) && value.isWellFormed();
    if (!valid)
      return `must be an email address such as "ada@example.com", not ${JSON.stringify(value)}`;
    return Array.from(clean(value)).length > 320 ? 'must have at most 320 characters' : undefined;
  };
  return Type.Decode(checked(fault), clean);
};

/** Decimal text, read into micro-USD. */
const money = () => {
  const fault = (value: string): string | undefined => {
    const micro = /^\d/.test(value) ? microUsd(value) : undefined;
    if (micro === undefined)
      return 'must be USD as text with at most six decimals, such as "25.00"';
    return micro > MAX_BALANCE ? 'must be at most 1000000000.00 USD' : undefined;
  };
  return Type.Decode(checked(fault), (value) => microUsd(value) as bigint);
};

const positive = () =>
  Type.Refine(
    money(),
    (value) => !/^[0.]*$/.test(value),
    () => 'must be more than 0.00',
  );

const revision = (maximum = Number.POSITIVE_INFINITY) =>
  checked((value) => {
    if (value === '') return 'must not be empty';
    if (Array.from(value).length > maximum) return `must have at most ${maximum} characters`;
    return value.isWellFormed() && !value.includes('\0')
      ? undefined
      : 'must be Unicode text without U+0000';
  });

/** A key is a secret, so the fault does not repeat it. */
const secret = () =>
  checked((value) =>
    hashKey(value) !== undefined
      ? undefined
      : 'must be a well-formed key; leave it out to have one generated',
  );

const matching = (pattern: RegExp, fault: string) =>
  checked((value) => (pattern.test(value) ? undefined : fault));

const role = () =>
  matching(ROLE_SLUG, 'must be one of admin, member, viewer, or the slug of a custom role');

const color = () => matching(/^#[0-9A-Fa-f]{6}$/, 'must be a colour such as "#3355AA"');

// JavaScript takes the 30th of February for a day in March.
const isDay = (day: string): boolean =>
  !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);

/** A moment in UTC, as export writes it. */
const time = () =>
  checked((value) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/.test(value) &&
    isDay(value.slice(0, 10)) &&
    !Number.isNaN(Date.parse(value))
      ? undefined
      : 'must be a time in UTC such as "2026-11-21T08:15:30.123Z"',
  );

const users = Type.Object(
  {
    handle: handle(),
    email: email(),
    name: Type.Optional(words(200)),
    is_active: filled(Type.Boolean(), true),
    two_factor: filled(Type.Boolean(), false),
    balance: filled(money(), '0.00'),
    keys: list(strict({ handle: handle(), name: name(100), secret: Type.Optional(secret()) })),
    cards: list(
      strict({
        handle: handle(),
        token: words(255),
        brand: words(30),
        last4: matching(/^[0-9]{4}$/, 'must be the last four digits of the card'),
      }),
    ),
  },
  { additionalProperties: false },
);

const teams = strict({
  handle: handle(),
  name: name(100),
  add_to_new_projects: filled(Type.Boolean(), false),
  can_create_projects: filled(Type.Boolean(), false),
  can_merge_production: filled(Type.Boolean(), false),
  can_merge_staging: filled(Type.Boolean(), false),
  members: list(handle()),
  projects: list(handle()),
});

const invitation = {
  handle: handle(),
  email: email(),
  role: role(),
  invited_by: Type.Optional(handle()),
  invited_by_name: Type.Optional(words(200)),
  status: filled(Type.Enum(['pending', 'accepted', 'declined', 'revoked']), 'pending'),
  expires_in_hours: filled(Type.Number({ minimum: -TEN_YEARS, maximum: TEN_YEARS }), 168),
  expires_at: Type.Optional(time()),
  created_at: Type.Optional(time()),
};

const roles = strict({
  slug: role(),
  scope: filled(Type.Enum(['workspace', 'project']), 'workspace'),
  name: name(100),
  color: Type.Decode(color(), (value) => value.toUpperCase()),
  acts_as: Type.Enum(['admin', 'member', 'viewer']),
});

const organizations = strict({
  handle: handle(),
  name: name(100),
  owner: handle(),
  require_2fa: filled(Type.Boolean(), false),
  admins_manage_admins: filled(Type.Boolean(), true),
  color: Type.Optional(color()),
  icon: Type.Optional(words(100)),
  balance: filled(money(), '0.00'),
  instructions: Type.Optional(instructions()),
  roles: list(roles),
  members: list(strict({ user: handle(), role: role() })),
  teams: list(teams),
  invitations: list(strict({ ...invitation, teams: list(handle()) })),
});

const branch = (fault: (value: string) => string | undefined = () => undefined) =>
  checked((value) =>
    value.isWellFormed() && isBranchName(value) ? fault(value) : 'must be the name of a branch',
  );

const repositories = strict({
  full_name: matching(
    new RegExp(`^${LOCAL_REPOSITORY}$`),
    'must be the name of a repository of a server, such as "library"',
  ),
  default_branch: filled(branch(), 'main'),
});

/** What tasks begin with and are merged into. */
const targetBranch = () =>
  branch((value) =>
    value.startsWith('task/') ? 'must not be of a task: those are what is merged' : undefined,
  );

const mergeTargets = strict({
  branch: targetBranch(),
  stage: Type.Enum(['staging', 'production']),
});

const archived = {
  archived: filled(Type.Boolean(), false),
  archived_at: Type.Optional(time()),
};

const projects = strict({
  handle: handle(),
  name: name(200),
  organization: Type.Optional(handle()),
  owner: Type.Optional(handle()),
  erp_version: words(20),
  erp_edition: Type.Enum(['community', 'enterprise']),
  default_model: Type.Optional(words(100)),
  plan_approval: filled(Type.Enum(['required', 'automatic']), 'required'),
  direct_push: filled(Type.Enum(['nobody', 'admins']), 'nobody'),
  spend_cap: Type.Optional(positive()),
  ...archived,
  created_at: Type.Optional(time()),
  // Without these lists, what every project begins with. The repository `main` is always there.
  repositories: Type.Optional(Type.Array(repositories, { maxItems: 20 })),
  merge_targets: Type.Optional(Type.Array(mergeTargets, { maxItems: 20 })),
  overrides: list(strict({ user: handle(), role: role() })),
  collaborators: list(strict({ user: handle(), role: role() })),
  invitations: list(strict(invitation)),
  ...projectSettings,
});

const counted = () => Type.Integer({ minimum: 1 });

/** Versions without an author were written by the agent. */
const plan = strict({
  revisions: Type.Array(revision(), { minItems: 1 }),
  approved_version: Type.Optional(Type.Integer({ minimum: 1 })),
  authors: list(strict({ version: counted(), by: handle() })),
  approvals: list(
    strict({
      version: counted(),
      by: handle(),
      at: time(),
      source: filled(Type.Enum(['person', 'policy']), 'person'),
    }),
  ),
  comments: list(
    strict({
      version: counted(),
      start_line: counted(),
      end_line: counted(),
      current_start_line: Type.Optional(counted()),
      text: revision(10_000),
      by: handle(),
      at: time(),
      resolved_by: Type.Optional(handle()),
      resolved_at: Type.Optional(time()),
    }),
  ),
});

const tasks = strict({
  handle: handle(),
  project: handle(),
  title: name(300),
  created_by: handle(),
  created_at: Type.Optional(time()),
  model: Type.Optional(words(100)),
  spend_cap: Type.Optional(positive()),
  base: Type.Optional(targetBranch()),
  ...archived,
  plan: Type.Optional(plan),
  // The conversation, in its order; what has no author was said by the agent.
  messages: list(strict({ by: Type.Optional(handle()), content: revision(20_000) })),
});

/** A world file. Unknown fields are faults; optional fields have their defaults here. */
export const worldSchema = strict({
  version: Type.Optional(Type.Integer({ minimum: 1, maximum: 1 })),
  users: list(users),
  organizations: list(organizations),
  projects: list(projects),
  tasks: list(tasks),
});

/** A world with defaults filled in, texts normalized and money in micro-USD. */
export type World = Type.StaticDecode<typeof worldSchema>;
