import { isIP } from 'node:net';
import { resolve } from 'node:path';

/**
 * Everything that can be set from outside. The only reader of the environment, but for what OpenTelemetry asks it itself
 * (api/telemetry/opentelemetry.ts); docs/operations.md repeats this table.
 */
export interface Config {
  port: number;
  host: string;
  dataDir: string;
  /** A PostgreSQL of one's own; without it the embedded one is started in `dataDir`. */
  databaseUrl: string | undefined;
  /** How a server ends: milliseconds between readiness turning and the last accepted connection, and until the last is cut. */
  shutdown: { delay: number; timeout: number };
  /** Of both lanes to the database; times in milliseconds. */
  database: {
    poolSize: number;
    connectTimeout: number;
    statementTimeout: number;
    lockTimeout: number;
    idleInTransactionTimeout: number;
    /** `transaction`: PgBouncer stands between, which keeps no settings of a session. */
    pooler: 'none' | 'transaction';
    /** Statements that take longer are logged; 0 for none. */
    slowStatement: number;
  };
  /** How long a request may take to arrive, in milliseconds. */
  requestTimeout: number;
  /** Where traces are sent, by OTLP over HTTP, and which; nowhere without an address. `ratio`: from 0 to 1. */
  tracing: { url: string; sampler: { name: (typeof SAMPLERS)[number]; ratio: number } } | undefined;
  /** Where `GET /metrics` is served; nowhere without a port. */
  metrics: { host: string; port: number | undefined };
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  /** Signs invitation links; without it one is made and kept in `dataDir`. */
  serverSecret: string | undefined;
  publicUrl: string;
  stagingUrl: string | undefined;
  /** Requests that a process works on at once; what comes on top is refused at once. */
  maxConcurrentRequests: number;
  rateLimits: { user: number; addFunds: number; failedAuth: number };
  /** Addresses and networks of the proxies before this server: whom they name in X-Forwarded-For is believed. */
  trustedProxies: string[];
  redisUrl: string | undefined;
  /** USD. */
  topUps: { minimum: number; maximum: number };
  /** When an open top-up is looked at again: milliseconds after its making, rising; the last one fences it. */
  topUpChecks: number[];
  /** The real card processor; without it cards are charged by the sandbox. Times in milliseconds. */
  stripe:
    | {
        secretKey: string;
        webhookSecret: string | undefined;
        apiBase: string | undefined;
        timeoutMs: number;
      }
    | undefined;
}

/** Every fault of a configuration, at once. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n  ${faults.join('\n  ')}`,
    );
    this.faults = faults;
  }
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
/** The names of all settings. */
export const KNOWN = [
  'PORT HOST REQUEST_TIMEOUT_MS MAX_CONCURRENT_REQUESTS SHUTDOWN_DELAY_MS SHUTDOWN_TIMEOUT_MS METRICS_PORT METRICS_HOST',
  'DATA_DIR LOG_LEVEL SERVER_SECRET PUBLIC_URL STAGING_URL',
  'DATABASE_URL DATABASE_POOL_SIZE DATABASE_CONNECT_TIMEOUT_MS DATABASE_STATEMENT_TIMEOUT_MS DATABASE_LOCK_TIMEOUT_MS',
  'DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS DATABASE_SLOW_STATEMENT_MS DATABASE_POOLER',
  'RATE_LIMIT_PER_MINUTE RATE_LIMIT_ADD_FUNDS_PER_MINUTE RATE_LIMIT_FAILED_AUTH_PER_MINUTE REDIS_URL TRUSTED_PROXIES',
  'TOP_UP_MIN TOP_UP_MAX TOP_UP_CHECKS STRIPE_SECRET_KEY STRIPE_WEBHOOK_SECRET STRIPE_API_BASE STRIPE_TIMEOUT_MS',
  'OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_TRACES_ENDPOINT OTEL_EXPORTER_OTLP_HEADERS OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES OTEL_TRACES_SAMPLER OTEL_TRACES_SAMPLER_ARG',
].join(' ');
// Names nobody else uses: here a slip would silently leave a limit at its default.
const OURS =
  /^(RATE_LIMIT_|TRUSTED_|TOP_UP_|STRIPE_|GUILDHALL_|MAX_CONC|SHUTDOWN_|METRICS_|REQUEST_TIMEOUT|DATABASE_\w+_TIMEOUT|DATABASE_POOLER)/;

/** An address, or a network in CIDR. One of no bits would be everybody, so that anybody could name any address. */
function isNetwork(text: string): boolean {
  const [, address = '', bits] = /^([\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0 || bits === undefined) return version !== 0;
  return Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128);
}

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads and checks the environment. Throws ConfigError with every fault; an empty value counts as not set. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const faults: string[] = [];
  const read = (name: string) => (env[name] === '' ? undefined : env[name]);

  const integer = (name: string, fallback: number, minimum: number, maximum: number): number => {
    const text = read(name);
    if (text === undefined) return fallback;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    faults.push(`${name} should be a whole number from ${minimum} to ${maximum}, not "${text}"`);
    return fallback;
  };

  const milliseconds = (name: string, fallback: number) => integer(name, fallback, 100, 600_000);

  const usd = (name: string, fallback: number): number => {
    const text = read(name);
    if (text === undefined) return fallback;
    if (/^\d{1,8}(\.\d{1,2})?$/.test(text) && Number(text) >= 0.01) return Number(text);
    faults.push(`${name} should be an amount in USD with at most two decimals, not "${text}"`);
    return fallback;
  };

  const durations = (name: string, fallback: string): number[] => {
    const parse = (text: string) =>
      text.split(',').map((part) => {
        const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(part.trim()) ?? [];
        return count === undefined ? Number.NaN : Number(count) * UNITS[unit as keyof typeof UNITS];
      });
    const values = parse(read(name) ?? fallback);
    if (values.every((value, i) => value > (values[i - 1] ?? 0))) return values;
    faults.push(`${name} should be rising durations such as ${fallback}, not "${read(name)}"`);
    return parse(fallback);
  };

  const networks = (name: string): string[] => {
    const all = read(name)?.split(',') ?? [];
    const list = all.map((part) => part.trim());
    const wrong = list.find((part) => !isNetwork(part));
    if (wrong === undefined) return list;
    faults.push(
      `${name} should be addresses or networks such as 10.0.0.0/8, with commas between, not "${wrong}"`,
    );
    return [];
  };

  // The value may hold a password, so a fault never repeats it.
  const url = (name: string, protocols: string[]): string | undefined => {
    const text = read(name);
    if (text === undefined) return undefined;
    const parsed = URL.parse(text);
    if (parsed !== null && protocols.includes(parsed.protocol)) return text.replace(/\/+$/, '');
    faults.push(
      `${name} should be an address that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`,
    );
    return undefined;
  };

  const logLevel = LOG_LEVELS.find((level) => level === (read('LOG_LEVEL') ?? 'info'));
  if (logLevel === undefined)
    faults.push(`LOG_LEVEL should be one of ${LOG_LEVELS.join(', ')}, not "${env.LOG_LEVEL}"`);
  const serverSecret = read('SERVER_SECRET');
  if (serverSecret !== undefined && serverSecret.length < 32)
    faults.push('SERVER_SECRET should have at least 32 characters');
  const unknown = Object.keys(env).filter(
    (name) =>
      OURS.test(name) && !KNOWN.split(' ').includes(name) && !name.startsWith('GUILDHALL_TEST_'),
  );
  if (unknown.length > 0)
    faults.push(
      `${unknown.join(', ')} ${unknown.length === 1 ? 'is not a setting' : 'are no settings'}; the settings are ${KNOWN}`,
    );

  const stripe = (): Config['stripe'] => {
    const secretKey = read('STRIPE_SECRET_KEY');
    const apiBase = url('STRIPE_API_BASE', ['http:', 'https:']);
    const timeoutMs = integer('STRIPE_TIMEOUT_MS', 20_000, 100, 120_000);
    const webhookSecret = read('STRIPE_WEBHOOK_SECRET');
    if (secretKey !== undefined) {
      if (!/^(sk|rk)_\w{4,}$/.test(secretKey))
        faults.push('STRIPE_SECRET_KEY should be a secret key: sk_… or rk_…');
      return { secretKey, webhookSecret, apiBase, timeoutMs };
    }
    if (webhookSecret ?? apiBase)
      faults.push(
        'STRIPE_SECRET_KEY is missing, without which the other STRIPE_ settings do nothing',
      );
    return undefined;
  };

  const pooler = () => {
    const text = read('DATABASE_POOLER') ?? 'none';
    if (text === 'none' || text === 'transaction') return text;
    faults.push(`DATABASE_POOLER should be none or transaction, not "${text}"`);
    return 'none';
  };

  const tracing = (): Config['tracing'] => {
    const whole = url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', ['http:', 'https:']);
    const base = url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']);
    // Other programs of the machine may be set up by these; here they are checked where they mean something.
    const address = whole ?? (base && `${base}/v1/traces`);
    if (address === undefined) return undefined;
    for (const name of ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'])
      if (read(name)?.startsWith('http') === false)
        faults.push(`${name} should be http/json, or not set: traces are sent over HTTP alone`);
    const text = read('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on';
    const name = SAMPLERS.find((one) => one === text) ?? 'parentbased_always_on';
    if (name !== text)
      faults.push(`OTEL_TRACES_SAMPLER should be one of ${SAMPLERS.join(', ')}, not "${text}"`);
    const ratio = Number(read('OTEL_TRACES_SAMPLER_ARG') ?? 1);
    if (!(ratio >= 0 && ratio <= 1))
      faults.push(
        'OTEL_TRACES_SAMPLER_ARG should be a number from 0 to 1, the part of requests that is traced',
      );
    return { url: address, sampler: { name, ratio } };
  };

  const port = integer('PORT', 8080, 0, 65_535);
  const host = read('HOST') ?? '127.0.0.1';
  const config: Config = {
    port,
    host,
    shutdown: {
      delay: integer('SHUTDOWN_DELAY_MS', 0, 0, 600_000),
      timeout: integer('SHUTDOWN_TIMEOUT_MS', 25_000, 0, 600_000),
    },
    maxConcurrentRequests: integer('MAX_CONCURRENT_REQUESTS', 512, 1, 1_000_000),
    metrics: {
      host: read('METRICS_HOST') ?? '127.0.0.1',
      port: read('METRICS_PORT') === undefined ? undefined : integer('METRICS_PORT', 0, 0, 65_535),
    },
    tracing: tracing(),
    dataDir: resolve(read('DATA_DIR') ?? '.guildhall'),
    databaseUrl: url('DATABASE_URL', ['postgres:', 'postgresql:']),
    database: {
      poolSize: integer('DATABASE_POOL_SIZE', 16, 1, 1000),
      connectTimeout: milliseconds('DATABASE_CONNECT_TIMEOUT_MS', 5_000),
      statementTimeout: milliseconds('DATABASE_STATEMENT_TIMEOUT_MS', 10_000),
      lockTimeout: milliseconds('DATABASE_LOCK_TIMEOUT_MS', 5_000),
      idleInTransactionTimeout: milliseconds('DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS', 30_000),
      pooler: pooler(),
      slowStatement: integer('DATABASE_SLOW_STATEMENT_MS', 1_000, 0, 600_000),
    },
    requestTimeout: milliseconds('REQUEST_TIMEOUT_MS', 30_000),
    logLevel: logLevel ?? 'info',
    serverSecret,
    publicUrl:
      url('PUBLIC_URL', ['http:', 'https:']) ??
      `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    stagingUrl: url('STAGING_URL', ['http:', 'https:']),
    rateLimits: {
      user: integer('RATE_LIMIT_PER_MINUTE', 600, 1, 1_000_000_000),
      addFunds: integer('RATE_LIMIT_ADD_FUNDS_PER_MINUTE', 10, 1, 1_000_000_000),
      failedAuth: integer('RATE_LIMIT_FAILED_AUTH_PER_MINUTE', 60, 1, 1_000_000_000),
    },
    trustedProxies: networks('TRUSTED_PROXIES'),
    redisUrl: url('REDIS_URL', ['redis:', 'rediss:']),
    topUps: { minimum: usd('TOP_UP_MIN', 1), maximum: usd('TOP_UP_MAX', 10_000) },
    topUpChecks: durations('TOP_UP_CHECKS', '15s,30s,2m,10m,1h,6h,24h'),
    stripe: undefined,
  };
  config.stripe = stripe();
  if (port !== 0 && config.metrics.port === port && config.metrics.host === host)
    faults.push('METRICS_PORT should be another port than PORT');
  if (config.topUps.minimum > config.topUps.maximum)
    faults.push('TOP_UP_MIN should not be above TOP_UP_MAX');
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}
