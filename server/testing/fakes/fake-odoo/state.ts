import { randomBytes } from 'node:crypto';
import type { Role, Row } from './fields.ts';
import { MODELS } from './fields.ts';

export interface User {
  id: number;
  login: string;
  name: string;
  password: string;
  role: Role;
  active: boolean;
  /** Then only an API key is accepted outside of a browser. */
  twoFactors: boolean;
}

export interface ApiKey {
  id: number;
  name: string;
  key: string;
  userId: number;
  /** Only keys for `rpc` open the API. */
  scope: string;
  expiresAt: Date | undefined;
}

export interface Database {
  name: string;
  users: User[];
  keys: ApiKey[];
  tables: Record<string, Row[]>;
}

export interface Server {
  /** `16.0` to `19.0`. */
  version: string;
  edition: 'community' | 'enterprise';
  databases: Map<string, Database>;
}

export const major = ({ version }: Pick<Server, 'version'>): number => Number.parseInt(version, 10);

const DAY = 86_400_000;
const secret = () => randomBytes(20).toString('hex');

const user = (
  id: number,
  login: string,
  role: Role,
  more: Partial<Pick<User, 'active' | 'twoFactors'>> = {},
): User => ({
  id,
  login,
  role,
  name: login[0]?.toUpperCase() + login.slice(1),
  password: `${login}-${secret().slice(0, 8)}`,
  active: true,
  twoFactors: false,
  ...more,
});

/** Five users, each of whom shows one case: `gone` is archived, `totp` has two factors. */
const people = (): User[] => [
  user(2, 'admin', 'admin'),
  user(5, 'clerk', 'internal'),
  user(6, 'portal', 'portal'),
  user(7, 'totp', 'manager', { twoFactors: true }),
  user(8, 'gone', 'internal', { active: false }),
];

const keysOf = (version: number): ApiKey[] => {
  const key = (id: number, name: string, userId: number, expires?: number, scope = 'rpc') => ({
    id,
    name,
    userId,
    scope,
    key: secret(),
    expiresAt:
      version < 18 || expires === undefined ? undefined : new Date(Date.now() + expires * DAY),
  });
  return [
    key(1, 'admin', 2, 90),
    key(2, 'admin_otherscope', 2, 90, 'other'),
    key(3, 'clerk', 5, 30),
    key(4, 'portal', 6, 30),
    key(5, 'totp', 7, 30),
    key(6, 'gone', 8, 30),
    // Versions without expiry have no such key.
    ...(version < 18 ? [] : [key(7, 'expired', 5, -1)]),
  ];
};

/** The first database has all users; in others the passwords and keys are different ones. */
export function newDatabase(name: string, server: Omit<Server, 'databases'>): Database {
  const users = people();
  return { name, users, keys: keysOf(major(server)), tables: tablesOf(server, users) };
}

const module = (
  id: number,
  [name, state, license, version]: readonly [string, string, string, string?],
): Row => ({
  id,
  name,
  state,
  license,
  to_buy: state === 'uninstallable',
  latest_version: version ?? false,
});

function tablesOf({ version, edition }: Omit<Server, 'databases'>, users: User[]) {
  const paid = edition === 'enterprise';
  const installed = `${version}.1.3`;
  return {
    'res.company': [{ id: 1, name: 'Example Ltd' }],
    'res.partner': [
      partner(1, 'Example Ltd', true),
      ...users.map(({ id, name }) => partner(id + 1, name)),
      partner(20, 'Northwind Bakery', true),
      partner(21, 'Ines Kovač'),
    ],
    'sale.order': [order(1, 20, 'sale', 1240.5), order(2, 21, 'draft', 89)],
    'res.users': users.map(({ id, login, name, active, role }) => ({
      id,
      login,
      name,
      active,
      tz: false,
      share: role === 'portal',
      partner_id: id + 1,
      company_id: 1,
    })),
    'ir.module.module': [
      module(30, ['base', 'installed', 'LGPL-3', installed]),
      module(31, ['sale', 'installed', 'LGPL-3', installed]),
      module(500, ['web_studio', paid ? 'uninstalled' : 'uninstallable', 'OEEL-1']),
      ...(paid ? [module(501, ['web_enterprise', 'installed', 'OEEL-1', installed])] : []),
    ],
    'ir.model': Object.entries(MODELS).map(([model, { label }], i) => ({
      id: i + 1,
      model,
      name: label,
    })),
  };
}

const partner = (id: number, name: string, is_company = false): Row => ({
  id,
  name,
  is_company,
  email: `partner${id}@example.com`,
  phone: false,
  active: true,
});

const order = (id: number, partner_id: number, state: string, amount_total: number): Row => ({
  id,
  name: `S${String(id).padStart(5, '0')}`,
  partner_id,
  state,
  amount_total,
  date_order: '2026-11-02 09:00:00',
});

/** As Odoo writes times: UTC without a zone. */
export const odooTime = (time: Date | undefined): string | false =>
  time?.toISOString().slice(0, 19).replace('T', ' ') ?? false;
