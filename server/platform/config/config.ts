import { join } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import { readCatalog } from '../catalog/read-catalog.ts';
import { type Billing, billing, UNDECIDED } from './billing.ts';
import { erpInstances } from './erp-instances.ts';
import { github, githubOauth } from './github.ts';
import { defaultSender } from './mail.ts';
import { network, pods } from './pods.ts';
import { readSettings, shownSettings, type Values } from './settings.ts';
import { tracing } from './tracing.ts';
import { unknownNames } from './unknown-names.ts';

export { type Billing, costsRealMoney } from './billing.ts';
export type { GithubOauth } from './github.ts';
export type { OidcSettings } from './oidc.ts';
export {
  BILLING_MODES,
  type BillingMode,
  PROJECT_CREATION,
  type ShownSetting,
  WORKSPACE_CREATION,
} from './settings.ts';

/** Every fault of a configuration, all at once. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n  ${faults.join('\n  ')}`,
    );
    this.faults = faults;
  }
}

/** Everything that can be set from outside, checked. Times are milliseconds, sizes are bytes. */
export type Config = ReturnType<typeof readConfig>;

/**
 * Reads and checks the environment: settings.ts beside this is the table of its variables, and what
 * several of them mean together is here. OpenTelemetry reads three of its own by itself. Throws a
 * ConfigError with every fault; an empty value counts as not set.
 */
export function readConfig(env: Record<string, string | undefined>) {
  const { faults, warnings } = unknownNames(env);
  const values = readSettings(env, faults);
  const catalogs = readCatalog(values.GUILDHALL_CATALOG, env, faults);
  const publicUrl = values.PUBLIC_URL ?? `http://${inUrl(reachable(values.HOST))}:${values.PORT}`;
  const config = {
    /** The version of this server. */
    version: manifest.version,
    port: values.PORT,
    host: values.HOST,
    /**
     * `delay` from the signal until no more connections are accepted, `timeout` from then until
     * running requests are cut off.
     */
    shutdown: { delay: values.SHUTDOWN_DELAY_MS, timeout: values.SHUTDOWN_TIMEOUT_MS },
    /** Requests that one process works on at once; further ones are refused immediately. */
    maxConcurrentRequests: values.MAX_CONCURRENT_REQUESTS,
    /** Where `GET /metrics` is served; metrics are off without a port. */
    metrics: { host: values.METRICS_HOST, port: values.METRICS_PORT },
    tracing: tracing(values, env, faults),
    dataDir: values.DATA_DIR,
    /** Your own PostgreSQL; without it the embedded one is started in `dataDir`. */
    databaseUrl: values.DATABASE_URL,
    /** Streaming standbys of it, which answer reads. */
    databaseReplicaUrls: values.DATABASE_REPLICA_URLS ?? [],
    /** Databases that hold only the events of tasks; without any, they are in the one above. */
    eventDatabaseUrl: values.EVENT_DATABASE_URL,
    /** Connections to the database (docs/decisions/0004). */
    database: {
      poolSize: values.DATABASE_POOL_SIZE,
      connectTimeout: values.DATABASE_CONNECT_TIMEOUT_MS,
      statementTimeout: values.DATABASE_STATEMENT_TIMEOUT_MS,
      lockTimeout: values.DATABASE_LOCK_TIMEOUT_MS,
      idleInTransactionTimeout: values.DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS,
      /** `transaction`: behind PgBouncer in that mode, which keeps no settings of a session. */
      pooler: values.DATABASE_POOLER,
      /** Statements that take longer are logged; 0 logs none. */
      slowStatement: values.DATABASE_SLOW_STATEMENT_MS,
    },
    /** Open connections of one process, and of them those of one client address. */
    maxConnections: {
      total: values.MAX_CONNECTIONS,
      perAddress: values.MAX_CONNECTIONS_PER_ADDRESS,
    },
    /** How long a client may read nothing of an answer. */
    sendTimeout: values.SEND_TIMEOUT_MS,
    /** How long a request may take to arrive. */
    requestTimeout: values.REQUEST_TIMEOUT_MS,
    logLevel: values.LOG_LEVEL,
    /** Signs invitation links; without it one is made and stored in `dataDir`. */
    serverSecret: values.SERVER_SECRET,
    /** The one before, whose links still work and whose sealed values still open. */
    previousServerSecret: values.SERVER_SECRET_PREVIOUS,
    /** Who may sign up: everyone, or those whose address has an open invitation. */
    signUp: values.SIGN_UP,
    /** Who may create what. */
    creation: { workspaces: values.WORKSPACE_CREATION, projects: values.PROJECT_CREATION },
    publicUrl,
    /** Whether it is PUBLIC_URL; otherwise it follows from HOST and PORT. */
    publicUrlGiven: values.PUBLIC_URL !== undefined,
    stagingUrl: values.STAGING_URL,
    ...catalogs,
    ...erpInstances(values, catalogs.erpPrograms, faults),
    /** Without a server, mail is stored as files in `dataDir`. */
    mail: { server: values.SMTP_URL, from: values.MAIL_FROM ?? defaultSender(publicUrl) },
    issuer: issuer(values),
    rateLimits: {
      user: values.RATE_LIMIT_PER_MINUTE,
      addFunds: values.RATE_LIMIT_ADD_FUNDS_PER_MINUTE,
      invitations: values.RATE_LIMIT_INVITATIONS_PER_MINUTE,
      uploads: values.RATE_LIMIT_UPLOADS_PER_MINUTE,
      probes: values.RATE_LIMIT_PROBES_PER_MINUTE,
      failedAuth: values.RATE_LIMIT_FAILED_AUTH_PER_MINUTE,
      signIn: values.RATE_LIMIT_SIGN_IN_PER_MINUTE,
      password: 10,
      passwordAnywhere: 100,
      links: 5,
      linksAnywhere: 20,
      registrations: 30,
      secondFactor: 10,
    },
    /** Where files are, and how much those of one project may take up. */
    files: {
      folder: join(values.DATA_DIR, 'files'),
      s3: values.FILES_URL,
      perProject: values.FILES_PER_PROJECT_MB * 1024 * 1024,
    },
    /** After how many days old things are removed; undefined: never. */
    retention: {
      events: values.RETENTION_EVENTS_DAYS,
      logs: values.RETENTION_LOGS_DAYS,
      conversations: values.RETENTION_CONVERSATIONS_DAYS,
      files: values.RETENTION_FILES_DAYS,
      idempotency: values.RETENTION_IDEMPOTENCY_DAYS,
      webhooks: values.RETENTION_WEBHOOKS_DAYS,
      mail: values.RETENTION_MAIL_DAYS,
      notifications: values.RETENTION_NOTIFICATIONS_DAYS,
      routineRuns: values.RETENTION_ROUTINE_RUNS_DAYS,
      signIns: values.RETENTION_SIGN_INS_DAYS,
      invitations: values.RETENTION_INVITATIONS_DAYS,
    },
    /**
     * Turns of tasks: how many one process carries out at once, how long one may take, and how long
     * a pod is kept that none uses.
     */
    tasks: {
      atOnce: values.TASK_TURNS_AT_ONCE,
      turnTimeout: values.TASK_TURN_TIMEOUT_MIN * 60_000,
      podIdle: values.PODS_IDLE_MIN * 60_000,
    },
    pods: pods(values, env, { faults, keyNames: catalogs.agents.keyNames }),
    network: network(values),
    /** Where the bare repositories are in which the work of tasks is kept. */
    repositories: join(values.DATA_DIR, 'repositories'),
    /** How much each of them may take up. */
    repositorySize: values.GIT_REPOSITORY_MB * 1024 * 1024,
    /** What setups have left in pods, as far as it is kept on this machine. */
    setupResults: {
      folder: join(values.DATA_DIR, 'setups'),
      bytes: values.SETUP_RESULTS_PER_PROJECT_MB * 1024 * 1024,
    },
    /** The proxies in front of this server, whose X-Forwarded-For is believed. */
    trustedProxies: values.TRUSTED_PROXIES ?? [],
    redisUrl: values.REDIS_URL,
    /** USD. */
    topUps: { minimum: values.TOP_UP_MIN, maximum: values.TOP_UP_MAX },
    /** When an open top-up is checked again after its start; the last check ends it. */
    topUpChecks: values.TOP_UP_CHECKS,
    ...billing(values, catalogs.agents, { faults, warnings }),
    /** Without it, projects have only repositories of this server. */
    github: github(values, faults),
    /** Where people may sign in instead of here. */
    providers: { oidc: values.OIDC_PROVIDERS ?? [], github: githubOauth(values, faults) },
    /** Which ERP servers may be reached: server/platform/outgoing/outgoing.ts. */
    erp: {
      allowedNetworks: values.ERP_ALLOWED_NETWORKS ?? [],
      allowHttp: values.ERP_ALLOW_HTTP === 'true',
    },
    /** Where webhooks may be sent: server/platform/outgoing/outgoing.ts. */
    webhooks: {
      allowedNetworks: values.WEBHOOK_ALLOWED_NETWORKS ?? [],
      allowHttp: values.WEBHOOK_ALLOW_HTTP === 'true',
    },
    /** From where repositories may be imported, and how many bytes of one may be received. */
    imports: {
      allowedNetworks: values.IMPORT_ALLOWED_NETWORKS ?? [],
      allowHttp: values.IMPORT_ALLOW_HTTP === 'true',
      maxBytes: values.IMPORT_MAX_MB * 1024 * 1024,
    },
    /** Which servers of Gitea and Forgejo may be connected. */
    codeHosts: {
      allowedNetworks: values.CODE_HOST_ALLOWED_NETWORKS ?? [],
      allowHttp: values.CODE_HOST_ALLOW_HTTP === 'true',
    },
    /** What an operator must know although it keeps nothing from starting. */
    warnings,
  };
  const { port, host, metrics, topUps } = config;
  if (port !== 0 && metrics.port === port && metrics.host === host)
    faults.push('METRICS_PORT must differ from PORT');
  if (config.eventDatabaseUrl !== undefined && config.eventDatabaseUrl === config.databaseUrl)
    faults.push(
      'EVENT_DATABASE_URL must differ from DATABASE_URL: without it the events are stored there',
    );
  const { databaseUrl, databaseReplicaUrls: replicas } = config;
  if (replicas.length > 0 && databaseUrl === undefined)
    faults.push(
      'DATABASE_REPLICA_URLS needs DATABASE_URL: the embedded PostgreSQL has no replicas',
    );
  if (databaseUrl !== undefined && replicas.includes(databaseUrl))
    faults.push('DATABASE_REPLICA_URLS must not have DATABASE_URL itself: name its standbys');
  if (new Set(replicas).size < replicas.length)
    faults.push('DATABASE_REPLICA_URLS must have each address once');
  // A second address would be read as a part of the first one's path.
  if (config.eventDatabaseUrl?.includes(','))
    faults.push(
      'EVENT_DATABASE_URL names one database: copy the events of the others there (docs/scale.md), then name that one alone',
    );
  if (topUps.minimum > topUps.maximum) faults.push('TOP_UP_MIN must not exceed TOP_UP_MAX');
  if (faults.length > 0) throw new ConfigError(faults);
  /** Every setting as it is, without secrets. */
  return { ...config, settings: shownSettings(env) };
}

/**
 * Throws a ConfigError that lists the keys of providers that are not there. To be called where
 * tasks are carried out: other processes need no keys.
 */
export function checkKeys({ agents: { faults } }: Pick<Config, 'agents'>): void {
  if (faults.length > 0) throw new ConfigError(faults);
}

/** How work is paid for. Throws a ConfigError where no one has decided that. */
export function requireBilling({ billing }: Pick<Config, 'billing'>): Billing {
  if (billing === undefined) throw new ConfigError([UNDECIDED]);
  return billing;
}

/** A server that listens at every address is reached at this one from its own machine. */
const reachable = (host: string) => (host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host);

const inUrl = (host: string) => (host.includes(':') ? `[${host}]` : host);

export type Issuer = ReturnType<typeof issuer>;

/** Who issues invoices, and the taxes. */
const issuer = (values: Values) => ({
  name: values.INVOICE_ISSUER_NAME,
  address: values.INVOICE_ISSUER_ADDRESS ?? [],
  country: values.INVOICE_ISSUER_COUNTRY ?? null,
  taxId: values.INVOICE_ISSUER_TAX_ID ?? null,
  /** What numbers begin with. Each prefix has numbers of its own. */
  prefix: values.INVOICE_PREFIX,
  taxName: values.INVOICE_TAX_NAME,
  /** In percent, as decimal text, by the country of the customer; `*` is every other one. */
  taxRates: values.INVOICE_TAX_RATES ?? {},
  reverseChargeNote: values.INVOICE_REVERSE_CHARGE_NOTE,
});
