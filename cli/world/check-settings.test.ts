import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWorld } from './check.ts';
import { WorldError } from './faults.ts';

// The parts of a world file that an export adds to those of check.test.ts.

// biome-ignore lint/suspicious/noExplicitAny: tests break worlds in ways that no type allows.
type Any = any;

const invitation = (handle: string, more: object = {}) => ({
  handle,
  email: `${handle}@x.com`,
  role: 'member',
  expires_at: '2026-11-28T08:15:30.123Z',
  ...more,
});

const world = (): Any => ({
  version: 1,
  users: ['ada', 'bob', 'carol'].map((handle) => ({ handle, email: `${handle}@example.com` })),
  organizations: [
    {
      handle: 'acme',
      name: 'Acme',
      owner: 'ada',
      admins_manage_admins: false,
      roles: [
        { slug: 'captain', name: 'Captain', color: '#aabbcc', acts_as: 'member' },
        { slug: 'captain', scope: 'project', name: 'Captain', color: '#AABBCC', acts_as: 'viewer' },
        { slug: 'guest', scope: 'project', name: 'Guest', color: '#AABBCC', acts_as: 'viewer' },
        { slug: 'spare', scope: 'project', name: 'Spare', color: '#AABBCC', acts_as: 'viewer' },
      ],
      members: [{ user: 'bob', role: 'captain' }],
      teams: [{ handle: 'core', name: 'Core' }],
      invitations: [invitation('i', { role: 'captain', teams: ['core'] })],
    },
    { handle: 'other', name: 'Other', owner: 'carol', teams: [{ handle: 'x', name: 'X' }] },
  ],
  projects: [
    {
      handle: 'shop',
      name: 'Shop',
      organization: 'acme',
      erp_version: '18.0',
      erp_edition: 'community',
      default_model: 'sonnet',
      plan_approval: 'automatic',
      direct_push: 'admins',
      spend_cap: '12.50',
      archived: true,
      created_at: '2026-01-02T03:04:05.678Z',
      overrides: [{ user: 'bob', role: 'guest' }],
      invitations: [invitation('pi', { role: 'guest', invited_by: 'carol' })],
    },
    { handle: 'mine', name: 'Mine', owner: 'carol', erp_version: '18.0', erp_edition: 'community' },
  ],
  tasks: [
    {
      handle: 't',
      project: 'shop',
      title: 'T',
      created_by: 'ada',
      model: 'sonnet',
      spend_cap: '2.00',
      base: 'release/18',
      archived: true,
      plan: {
        revisions: ['a', 'b'],
        approved_version: 2,
        approvals: [
          { version: 1, by: 'bob', at: '2026-01-02T03:04:05Z' },
          { version: 2, by: 'ada', at: '2026-01-03T03:04:05Z' },
        ],
      },
    },
  ],
});

const faultsOf = (value: unknown): string[] => {
  try {
    readWorld(value);
    return [];
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    return error.faults.map(({ pointer }) => pointer);
  }
};

const acme = '/organizations/0';
const plan = '/tasks/0/plan';

/** One mistake each, and where it is found. */
const mistakes: Record<string, [(w: Any) => void, string]> = {
  'a version to come': [(w) => (w.version = 2), '/version'],
  'a built-in role among the custom ones': [
    (w) => (w.organizations[0].roles[3].slug = 'admin'),
    `${acme}/roles/3/slug`,
  ],
  'a role twice in a scope': [
    (w) => (w.organizations[0].roles[3].slug = 'captain'),
    `${acme}/roles/3/slug`,
  ],
  'a role name twice in a scope': [
    (w) => (w.organizations[0].roles[3].name = 'CAPTAIN'),
    `${acme}/roles/3/name`,
  ],
  'a role that acts as an owner': [
    (w) => (w.organizations[0].roles[0].acts_as = 'owner'),
    `${acme}/roles/0/acts_as`,
  ],
  'a role in capitals': [
    (w) => (w.organizations[0].members[0].role = 'Admin'),
    `${acme}/members/0/role`,
  ],
  'a role of projects for a member': [
    (w) => (w.organizations[0].members[0].role = 'guest'),
    `${acme}/members/0/role`,
  ],
  'a role of another workspace': [
    (w) => (w.organizations[1].invitations = [invitation('j', { role: 'captain' })]),
    '/organizations/1/invitations/0/role',
  ],
  'a custom role on a personal project': [
    (w) => (w.projects[1].collaborators = [{ user: 'ada', role: 'guest' }]),
    '/projects/1/collaborators/0/role',
  ],
  'a role that a project’s invitation cannot give': [
    (w) => (w.projects[0].invitations[0].role = 'nobody'),
    '/projects/0/invitations/0/role',
  ],
  'a team of another workspace for an invited person': [
    (w) => (w.organizations[0].invitations[0].teams = ['x']),
    `${acme}/invitations/0/teams/0`,
  ],
  'two expiries': [
    (w) => (w.organizations[0].invitations[0].expires_in_hours = 1),
    `${acme}/invitations/0/expires_at`,
  ],
  'the time of archiving of a project that is not archived': [
    (w) => Object.assign(w.projects[0], { archived: false, archived_at: '2026-01-02T03:04:05Z' }),
    '/projects/0/archived_at',
  ],
  'the time of archiving of a task that is not archived': [
    (w) => Object.assign(w.tasks[0], { archived: false, archived_at: '2026-01-02T03:04:05Z' }),
    '/tasks/0/archived_at',
  ],
  'a task that begins with the branch of another': [
    (w) => (w.tasks[0].base = 'task/0a1b2c3d'),
    '/tasks/0/base',
  ],
  'a task that may cost nothing': [(w) => (w.tasks[0].spend_cap = '0.00'), '/tasks/0/spend_cap'],
  'a right to push that there is not': [
    (w) => (w.projects[0].direct_push = 'everybody'),
    '/projects/0/direct_push',
  ],
  'an invitation handle twice': [
    (w) => (w.projects[0].invitations[0].handle = 'i'),
    '/projects/0/invitations/0/handle',
  ],
  'an address twice in a project': [
    (w) => w.projects[0].invitations.push(invitation('pj', { email: 'PI@x.com' })),
    '/projects/0/invitations/1/email',
  ],
  'an unknown inviter to a project': [
    (w) => (w.projects[0].invitations[0].invited_by = 'zoe'),
    '/projects/0/invitations/0/invited_by',
  ],
  'a local time': [
    (w) => (w.projects[0].created_at = '2026-01-02T03:04'),
    '/projects/0/created_at',
  ],
  'the 30th of February': [
    (w) => (w.projects[0].created_at = '2026-02-30T00:00:00Z'),
    '/projects/0/created_at',
  ],
  'a variable that begins before the program': [
    (w) => (w.projects[0].variables = [{ name: 'LD_PRELOAD', purposes: ['agent'], value: 'x' }]),
    '/projects/0/variables/0/name',
  ],
  'a value with a control character': [
    (w) => (w.projects[0].variables = [{ name: 'A', purposes: ['agent'], value: 'x\u0007' }]),
    '/projects/0/variables/0/value',
  ],
  'a secret with a value': [
    (w) => (w.projects[0].secrets = [{ name: 'A', purposes: ['agent'], value: 'x' }]),
    '/projects/0/secrets/0/value',
  ],
  'a variable that is a secret, too': [
    (w) =>
      Object.assign(w.projects[0], {
        variables: [{ name: 'A', purposes: ['agent'], value: 'x' }],
        secrets: [{ name: 'A', purposes: ['agent'] }],
      }),
    '/projects/0/secrets/0/name',
  ],
  'a stage of an agent': [
    (w) =>
      (w.projects[0].variables = [
        { name: 'A', stage: 'staging', purposes: ['agent'], value: 'x' },
      ]),
    '/projects/0/variables/0/stage',
  ],
  'variables of nobody': [
    (w) => {
      delete w.projects[1].owner;
      w.projects[1].variables = [{ name: 'A', purposes: ['agent'], value: 'x' }];
    },
    '/projects/1/variables',
  ],
  'values of more than a project may have': [
    (w) =>
      (w.projects[0].variables = Array.from({ length: 9 }, (_, i) => ({
        name: `A${i}`,
        purposes: ['agent'],
        value: 'x'.repeat(32_000),
      }))),
    '/projects/0/variables',
  ],
  'a credential of an MCP server in the clear': [
    (w) =>
      (w.projects[0].mcp_servers = [
        {
          name: 'docs',
          url: 'https://mcp.example.com/mcp',
          headers: [{ name: 'Authorization', value: 'Bearer abc' }],
          turns: ['build'],
          read_only: false,
        },
      ]),
    '/projects/0/mcp_servers/0',
  ],
  'an MCP server of no kind': [
    (w) => (w.projects[0].mcp_servers = [{ name: 'x', turns: ['build'], read_only: true }]),
    '/projects/0/mcp_servers/0',
  ],
  'an address on the list of the network': [
    (w) => (w.projects[0].network = { agent: ['10.0.0.1'] }),
    '/projects/0/network/agent/0',
  ],
  'a file above the repository': [
    (w) => (w.projects[0].environment = { cache: ['../x'] }),
    '/projects/0/environment/cache/0',
  ],
  'instructions of 20,001 characters': [
    (w) => (w.projects[0].instructions = 'x'.repeat(20_001)),
    '/projects/0/instructions',
  ],
  'a cap of nothing': [(w) => (w.projects[0].spend_cap = '0.00'), '/projects/0/spend_cap'],
  'an unknown approval policy': [
    (w) => (w.projects[0].plan_approval = 'never'),
    '/projects/0/plan_approval',
  ],
  'an approval of a revision that is not there': [
    (w) => (w.tasks[0].plan.approvals[0].version = 3),
    `${plan}/approvals/0/version`,
  ],
  'a version approved twice': [
    (w) => (w.tasks[0].plan.approvals[1].version = 1),
    `${plan}/approvals/1/version`,
  ],
  'an unknown approver': [
    (w) => (w.tasks[0].plan.approvals[0].by = 'zoe'),
    `${plan}/approvals/0/by`,
  ],
};

test('what an export adds is read: version, roles, settings, invitations, approvals', () => {
  assert.deepEqual(faultsOf(world()), []);
});

for (const [name, [mistake, pointer]] of Object.entries(mistakes)) {
  test(`refused at its place: ${name}`, () => {
    const broken = world();
    mistake(broken);
    assert.deepEqual(faultsOf(broken), [pointer]);
  });
}
