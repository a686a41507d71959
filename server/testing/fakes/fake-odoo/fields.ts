import type { Value } from '../../../erp/odoo/xml-rpc.ts';

/** From least to most: what a user of a role may, those of the roles after it may as well. */
export const ROLES = ['portal', 'internal', 'manager', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export type Row = { id: number } & Record<string, Value>;

interface Field {
  type: 'char' | 'boolean' | 'integer' | 'monetary' | 'selection' | 'datetime' | 'many2one';
  label: string;
  required?: boolean;
  /** Of a many2one. */
  relation?: string;
  selection?: readonly string[];
  /** The first version that has it. */
  since?: number;
}

export interface Model {
  label: string;
  read: Role;
  write: Role;
  /** Which rows a user sees; all by default. */
  own?: (row: Row, userId: number) => boolean;
  /** The field that is shown as the record's name. */
  named: string;
  fields: Record<string, Field>;
  /** What a new record has if it is not given. */
  defaults?: (id: number) => Record<string, Value>;
}

const char = (label: string, more: Partial<Field> = {}): Field => ({
  type: 'char',
  label,
  ...more,
});
const flag = (label: string): Field => ({ type: 'boolean', label });
const one = (label: string, relation: string, required = false): Field => ({
  type: 'many2one',
  label,
  relation,
  required,
});

const name = char('Name', { required: true });

/** The models of the fake, by their names. */
export const MODELS: Record<string, Model> = {
  'res.partner': {
    label: 'Contact',
    read: 'portal',
    write: 'manager',
    named: 'name',
    fields: {
      name,
      email: char('Email'),
      phone: char('Phone'),
      active: flag('Active'),
      is_company: flag('Is a company'),
    },
    defaults: () => ({ active: true, is_company: false }),
  },
  'sale.order': {
    label: 'Sales order',
    read: 'portal',
    write: 'internal',
    named: 'name',
    fields: {
      name: char('Reference'),
      partner_id: one('Customer', 'res.partner', true),
      state: { type: 'selection', label: 'Status', selection: ['draft', 'sent', 'sale', 'cancel'] },
      amount_total: { type: 'monetary', label: 'Total' },
      date_order: { type: 'datetime', label: 'Date' },
    },
    defaults: (id) => ({
      name: `S${String(id).padStart(5, '0')}`,
      state: 'draft',
      amount_total: 0,
      date_order: '2026-11-02 09:00:00',
    }),
  },
  'res.company': {
    label: 'Company',
    read: 'internal',
    write: 'admin',
    named: 'name',
    fields: { name },
  },
  'res.users': {
    label: 'User',
    read: 'portal',
    write: 'admin',
    named: 'name',
    own: (row, userId) => row.id === userId,
    fields: {
      name,
      login: char('Login', { required: true }),
      tz: char('Time zone'),
      active: flag('Active'),
      share: flag('Shared'),
      partner_id: one('Contact', 'res.partner'),
      company_id: one('Company', 'res.company'),
    },
  },
  'res.users.apikeys': {
    label: 'API key',
    read: 'portal',
    write: 'admin',
    named: 'name',
    own: ({ user_id }, userId) => user_id === userId,
    fields: {
      name,
      user_id: one('Owner', 'res.users', true),
      scope: char('Scope'),
      create_date: { type: 'datetime', label: 'Created' },
      expiration_date: { type: 'datetime', label: 'Expires', since: 18 },
    },
  },
  'ir.module.module': {
    label: 'Module',
    read: 'admin',
    write: 'admin',
    named: 'name',
    fields: {
      name,
      state: char('Status'),
      license: char('Licence'),
      to_buy: flag('To buy'),
      latest_version: char('Installed version'),
    },
  },
  'ir.model': {
    label: 'Model',
    read: 'admin',
    write: 'admin',
    named: 'name',
    fields: { name, model: char('Model', { required: true }) },
  },
};
