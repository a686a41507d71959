// Fills better-auth's tables from Guildhall's, logs BENCH_USER_ID in, and prints the request for the members of
// BENCH_ORGANIZATION_ID. It starts from nothing each time.
import { getMigrations } from 'better-auth/db/migration';
import { authForSeed, pool } from './auth.js';

const { BENCH_ORGANIZATION_ID: organizationId, BENCH_USER_ID: userId } = process.env;
if (!organizationId || !userId) throw new Error('Set BENCH_ORGANIZATION_ID and BENCH_USER_ID.');

await pool.query('drop schema if exists better_auth cascade');
await pool.query('create schema better_auth');

const auth = authForSeed();
const migrations = await getMigrations(auth.options);
await migrations.runMigrations();

await pool.query(`
  insert into better_auth."user" (id, name, email, "emailVerified", "createdAt", "updatedAt")
  select id::text, coalesce(name, ''), email, true, created_at, created_at from public.app_user`);
// A slug is required and unique; Guildhall has none.
await pool.query(`
  insert into better_auth.organization (id, name, slug, "createdAt")
  select id::text, name, id::text, created_at from public.organization`);
await pool.query(`
  insert into better_auth.member (id, "organizationId", "userId", role, "createdAt")
  select gen_random_uuid()::text, m.organization_id::text, m.user_id::text,
         case when o.owner_user_id = m.user_id then 'owner' when r.acts_as = 'admin' then 'admin' else 'member' end,
         m.created_at
    from public.membership m
    join public.organization o on o.id = m.organization_id
    join public.role r on r.id = m.role_id`);
await pool.query('analyze better_auth."user", better_auth.organization, better_auth.member');

const { test } = await auth.$context;
const headers = Object.fromEntries(await test.getAuthHeaders({ userId }));
const path = `/api/auth/organization/list-members?organizationId=${organizationId}`;
console.log(JSON.stringify({ headers, path }));
await pool.end();
