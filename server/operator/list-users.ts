import Type from 'typebox';
import { asOperator } from '../access/operator.ts';
import { contains } from '../db/search.ts';
import { nothing, sql } from '../db/sql.ts';
import { operatorRequired } from '../http/errors.ts';
import { boolean, text } from '../http/input/fields.ts';
import { type Listed, type ListParts, listed, page } from '../http/list.ts';
import { cursorInvalid, pages } from '../http/paging.ts';
import { route } from '../http/route.ts';
import { account } from './account.ts';

/** Everybody with an account. */
export const listUsers = route({
  method: 'GET',
  path: '/api/operator/users',
  area: 'Operation',
  operationId: 'list_users',
  summary: 'List all people',
  description:
    'Everybody with an account, by address; service accounts belong to their workspaces. Always in ' +
    'pages: 50 entries, unless `limit` says otherwise. Operators only.',
  access: asOperator,
  query: Type.Object({
    ...pages,
    q: Type.Optional(
      text({ minLength: 1, maxLength: 200, description: 'A part of the name or email address.' }),
    ),
    is_active: Type.Optional(boolean({ description: 'Only those who are, or were deactivated.' })),
  }),
  responses: { 200: account.listed('By address.') },
  errors: [operatorRequired, cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(people(query), query) }, page(url, query.limit)),
});

const people = ({ q, is_active }: { q?: string; is_active?: boolean }): ListParts => ({
  json: account.json,
  rows: sql`
    from authorized cross join app_user u
   where u.kind = 'person' and u.deleted_at is null
     ${q === undefined ? nothing : sql`and (${contains(sql`u.email`, q)} or ${contains(sql`u.name`, q)})`}
     ${is_active === undefined ? nothing : sql`and u.is_active = ${is_active}`}`,
  order: [{ by: sql`mailbox(u.email)`, type: 'text' }],
});
