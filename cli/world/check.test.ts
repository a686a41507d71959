import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { mintKey } from '../../server/identity/keys/key.ts';
import { readWorld } from './check.ts';
import { WorldError } from './faults.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests break worlds in ways that no type allows.
type Any = any;

const user = (handle: string) => ({ handle, email: `${handle}@example.com` });
const invitation = (handle: string, email: string) => ({
  handle,
  email,
  role: 'member',
  invited_by: 'bob',
  status: 'pending',
  expires_in_hours: 72,
});

/** A small world without a fault, in which everything refers to something. */
const world = (): Any => ({
  users: [
    { ...user('ada'), balance: '25.00', keys: [{ handle: 'k', name: 'laptop' }] },
    {
      ...user('bob'),
      cards: [{ handle: 'visa', token: 'pm_card_visa', brand: 'visa', last4: '4242' }],
    },
    user('carol'),
  ],
  organizations: [
    {
      handle: 'acme',
      name: 'Acme',
      owner: 'ada',
      color: '#3355AA',
      members: [{ user: 'bob', role: 'admin' }],
      teams: [{ handle: 'core', name: 'Core', members: ['ada', 'bob'], projects: ['shop'] }],
      invitations: [invitation('i', 'eve@example.com')],
    },
    { handle: 'other', name: 'Other', owner: 'carol' },
  ],
  projects: [
    {
      handle: 'shop',
      name: 'Shop',
      organization: 'acme',
      erp_version: '18.0',
      erp_edition: 'community',
      overrides: [{ user: 'bob', role: 'viewer' }],
      collaborators: [{ user: 'carol', role: 'member' }],
    },
    {
      handle: 'mine',
      name: 'Mine',
      owner: 'carol',
      erp_version: '18.0',
      erp_edition: 'enterprise',
    },
  ],
  tasks: [
    {
      handle: 't',
      project: 'shop',
      title: 'T',
      created_by: 'ada',
      plan: { revisions: ['a', 'b'], approved_version: 1 },
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

/** One mistake each, and where it is found. */
const mistakes: Record<string, [(w: Any) => void, string]> = {
  'an unknown field': [(w) => (w.users[0].adress = ''), '/users/0/adress'],
  'a name with / and ~ in it': [(w) => (w['a/b~c'] = 1), '/a~1b~0c'],
  'a missing field': [(w) => delete w.users[1].email, '/users/1'],
  'null where a value may be left out': [(w) => (w.users[1].name = null), '/users/1/name'],
  'a text of white space': [(w) => (w.organizations[0].name = ' \t '), `${acme}/name`],
  'a control character': [(w) => (w.tasks[0].title = 'a\u0007b'), '/tasks/0/title'],
  'a name of 201 characters': [(w) => (w.projects[0].name = '🛠'.repeat(201)), '/projects/0/name'],
  'half a surrogate pair': [(w) => (w.tasks[0].title = '\ud800'), '/tasks/0/title'],
  'U+0000 in a plan': [(w) => (w.tasks[0].plan.revisions[1] = 'a\0'), '/tasks/0/plan/revisions/1'],
  'an address without @': [(w) => (w.users[0].email = 'ada'), '/users/0/email'],
  'a balance as a number': [(w) => (w.users[0].balance = 25), '/users/0/balance'],
  'a negative balance': [(w) => (w.users[0].balance = '-1.00'), '/users/0/balance'],
  'a seventh decimal': [(w) => (w.users[0].balance = '1.0000001'), '/users/0/balance'],
  'a balance over the cap': [(w) => (w.users[0].balance = '1000000000.01'), '/users/0/balance'],
  'a colour name': [(w) => (w.organizations[0].color = 'blue'), `${acme}/color`],
  'a malformed key': [(w) => (w.users[0].keys[0].secret = 'gld_x'), '/users/0/keys/0/secret'],
  'five last digits': [(w) => (w.users[1].cards[0].last4 = '42424'), '/users/1/cards/0/last4'],
  'the role owner for a member': [
    (w) => (w.organizations[0].members[0].role = 'owner'),
    `${acme}/members/0/role`,
  ],
  'an unknown edition': [(w) => (w.projects[0].erp_edition = 'pro'), '/projects/0/erp_edition'],
  'a plan without a revision': [
    (w) => (w.tasks[0].plan = { revisions: [] }),
    '/tasks/0/plan/revisions',
  ],
  'a user twice': [(w) => w.users.push({ ...user('ada'), email: 'x@y.z' }), '/users/3/handle'],
  'an address twice, in another case': [
    (w) => (w.users[1].email = ' ADA@example.com'),
    '/users/1/email',
  ],
  'a card twice': [(w) => w.users[1].cards.push(w.users[1].cards[0]), '/users/1/cards/1/handle'],
  'a key handle of another user': [
    (w) => (w.users[1].keys = [{ handle: 'k', name: 'x' }]),
    '/users/1/keys/0/handle',
  ],
  'an unknown owner': [(w) => (w.organizations[1].owner = 'zoe'), '/organizations/1/owner'],
  'a deactivated owner': [(w) => (w.users[0].is_active = false), `${acme}/owner`],
  'an owner without the two-factor authentication that the workspace requires': [
    (w) => (w.organizations[0].require_2fa = true),
    `${acme}/owner`,
  ],
  'an unknown member': [
    (w) => (w.organizations[1].members = [{ user: 'zoe', role: 'admin' }]),
    '/organizations/1/members/0/user',
  ],
  'the owner among the members': [
    (w) => w.organizations[0].members.push({ user: 'ada', role: 'admin' }),
    `${acme}/members/1/user`,
  ],
  'a member twice': [
    (w) => w.organizations[0].members.push({ user: 'bob', role: 'viewer' }),
    `${acme}/members/1/user`,
  ],
  'a name that holds an invisible character': [
    (w) => (w.organizations[0].teams[0].name = 'Core\u200b'),
    `${acme}/teams/0/name`,
  ],
  'a team name twice, in other letters': [
    (w) => w.organizations[0].teams.push({ handle: 'x', name: 'Ｃｏｒｅ' }),
    `${acme}/teams/1/name`,
  ],
  'a team name twice, in another case': [
    (w) => w.organizations[0].teams.push({ handle: 'x', name: 'CORE ' }),
    `${acme}/teams/1/name`,
  ],
  'a stranger in a team': [
    (w) => w.organizations[0].teams[0].members.push('carol'),
    `${acme}/teams/0/members/2`,
  ],
  'a team member twice': [
    (w) => w.organizations[0].teams[0].members.push('bob'),
    `${acme}/teams/0/members/2`,
  ],
  "a team on another workspace's project": [
    (w) => w.organizations[0].teams[0].projects.push('mine'),
    `${acme}/teams/0/projects/1`,
  ],
  'an unknown project of a team': [
    (w) => w.organizations[0].teams[0].projects.push('x'),
    `${acme}/teams/0/projects/1`,
  ],
  'an inviter who is no member': [
    (w) => (w.organizations[0].invitations[0].invited_by = 'carol'),
    `${acme}/invitations/0/invited_by`,
  ],
  'two pending invitations to one address': [
    (w) => w.organizations[0].invitations.push(invitation('j', 'EVE@example.com')),
    `${acme}/invitations/1/email`,
  ],
  'a workspace and an owner': [(w) => (w.projects[0].owner = 'ada'), '/projects/0/owner'],
  'an unknown workspace': [
    (w) => (w.projects[1] = { ...w.projects[1], owner: undefined, organization: 'x' }),
    '/projects/1/organization',
  ],
  'an override for a stranger': [
    (w) => (w.projects[0].overrides[0].user = 'carol'),
    '/projects/0/overrides/0/user',
  ],
  'an override on a personal project': [
    (w) => (w.projects[1].overrides = [{ user: 'ada', role: 'admin' }]),
    '/projects/1/overrides/0/user',
  ],
  'a member as a collaborator': [
    (w) => (w.projects[0].collaborators[0].user = 'ada'),
    '/projects/0/collaborators/0/user',
  ],
  'the owner as a collaborator': [
    (w) => (w.projects[1].collaborators = [{ user: 'carol', role: 'admin' }]),
    '/projects/1/collaborators/0/user',
  ],
  'a task of an unknown project': [(w) => (w.tasks[0].project = 'x'), '/tasks/0/project'],
  'a task by nobody': [(w) => (w.tasks[0].created_by = 'x'), '/tasks/0/created_by'],
  'an approved version that is not there': [
    (w) => (w.tasks[0].plan.approved_version = 3),
    '/tasks/0/plan/approved_version',
  ],
};

test('a world without a fault is read', () => {
  assert.deepEqual(faultsOf(world()), []);
});

test('the world of a first start has no fault', async () => {
  const text = await readFile(join(import.meta.dirname, '../../demo/world.json'), 'utf8');
  assert.deepEqual(faultsOf(JSON.parse(text)), []);
});

for (const [mistake, [fixtures, pointer]] of Object.entries(mistakes)) {
  test(`${mistake} is found at ${pointer}`, () => {
    const broken = world();
    fixtures(broken);
    assert.ok(faultsOf(broken).includes(pointer), faultsOf(broken).join());
  });
}

test('faults of structure and of reference are listed together, fifty at most', () => {
  const broken = world();
  broken.users[0].email = 'ada';
  broken.tasks[0].project = 'x';
  assert.deepEqual(faultsOf(broken), ['/users/0/email', '/tasks/0/project']);
  broken.users = Array.from({ length: 90 }, () => ({ handle: '' }));
  assert.equal(faultsOf(broken).length, 50);
});

test('a fault never repeats a secret', () => {
  const broken = world();
  const secret = mintKey();
  broken.users[0].keys[0].secret = `${secret}x`;
  assert.throws(
    () => readWorld(broken),
    (error: Error) => !error.message.includes(secret),
  );
});

test('what may be left out has its default; texts are trimmed and in NFC, money is exact', () => {
  const read = readWorld({
    users: [{ handle: 'x', email: ' x@y.z ', name: ' Zoe\u0301 ', balance: '0.000001' }],
  });
  assert.deepEqual(read, {
    users: [
      {
        handle: 'x',
        email: 'x@y.z',
        name: 'Zo\u00e9',
        is_active: true,
        two_factor: false,
        balance: 1n,
        keys: [],
        cards: [],
      },
    ],
    organizations: [],
    projects: [],
    tasks: [],
  });
});

test('whatever JSON is given, it is read or refused with pointers, never with another error', () => {
  const some = fc.oneof(fc.jsonValue(), fc.constant('ada'), fc.constant([]), fc.constant({}));
  const keys = [
    'users',
    'organizations',
    'projects',
    'tasks',
    'members',
    'teams',
    'plan',
    'handle',
    '__proto__',
  ];
  const item = fc.dictionary(fc.constantFrom(...keys), fc.oneof(some, fc.array(some)));
  const file = fc.dictionary(fc.constantFrom(...keys), fc.oneof(some, fc.array(item)));
  fc.assert(
    fc.property(fc.oneof(some, file), (value) =>
      faultsOf(value).every((p) => p === '' || p[0] === '/'),
    ),
  );
});
