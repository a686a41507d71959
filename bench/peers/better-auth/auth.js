import { betterAuth } from 'better-auth';
import { organization, testUtils } from 'better-auth/plugins';
import pg from 'pg';

export const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 10,
  // Its tables stand beside Guildhall's, in a schema of their own.
  options: '-c search_path=better_auth',
});

const settings = {
  database: pool,
  baseURL: 'http://127.0.0.1',
  // Signs the cookies of a server that only a benchmark on the same machine talks to.
  secret: 'not a secret: it signs cookies for the benchmark only',
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  plugins: [organization()],
};

export const auth = betterAuth(settings);

/** The same with better-auth's own helper that logs a user in: for the seed, not for the server. */
export const authForSeed = () =>
  betterAuth({ ...settings, plugins: [...settings.plugins, testUtils()] });
