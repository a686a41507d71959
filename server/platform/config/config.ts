import { join } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import type { TracingSettings } from '../../telemetry/tracing-settings.ts';
import type { AgentCatalog } from '../catalog/agent-fields.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ErpProgram } from '../catalog/erp-programs.ts';
import { readCatalog } from '../catalog/read-catalog.ts';
import type { S3Place } from '../files/s3-store.ts';
import { type Billing, billing, type Stripe, UNDECIDED } from './billing.ts';
import { type ErpInstances, erpInstances } from './erp-instances.ts';
import { type GitHubApp, github } from './github.ts';
import type { Issuer } from './invoices.ts';
import { defaultSender, type Mailbox, type SmtpServer } from './mail.ts';
import { type Pods, pods } from './pods.ts';
import { type ProviderSettings, providers } from './providers.ts';
import { readSettings, type Values } from './read-settings.ts';
import { tracing } from './tracing.ts';
import { unknownNames } from './unknown-names.ts';

export {
  BILLING_MODES,
  type Billing,
  type BillingMode,
  costsRealMoney,
} from './billing.ts';
export type { GithubOauth, OidcSettings } from './providers.ts';

/**
 * The configuration: everything that can be set from outside, checked. server/platform/config/settings.ts is
 * the table of environment variables; what several of them mean together is here. OpenTelemetry
 * reads three of its own by itself.
 */
export interface Config {
  /** The version of this server. */
  version: string;
  port: number;
  host: string;
  dataDir: string;
  /** Your own PostgreSQL; without it the embedded one is started in `dataDir`. */
  databaseUrl: string | undefined;
  /** Databases that hold only the events of tasks; without any, they are in the one above. */
  eventDatabaseUrls: string[] | undefined;
  /**
   * Milliseconds: `delay` from the signal until no more connections are accepted, `timeout` from
   * then until running requests are cut off.
   */
  shutdown: { delay: number; timeout: number };
  /** Connections to the database (docs/decisions/0004); times in milliseconds. */
  database: {
    poolSize: number;
    connectTimeout: number;
    statementTimeout: number;
    lockTimeout: number;
    idleInTransactionTimeout: number;
    /**
     * `transaction`: behind PgBouncer in that mode, which does not preserve the settings of a
     * session.
     */
    pooler: 'none' | 'transaction';
    /** Statements that take longer are logged; 0 logs none. */
    slowStatement: number;
  };
  /** Open connections of one process, and of them those of one client address. */
  maxConnections: { total: number; perAddress: number };
  /** How long a client may read nothing of an answer, in milliseconds. */
  sendTimeout: number;
  /** How long a request may take to arrive, in milliseconds. */
  requestTimeout: number;
  tracing: TracingSettings | undefined;
  /** Where `GET /metrics` is served; metrics are off without a port. */
  metrics: { host: string; port: number | undefined };
  logLevel: Values['LOG_LEVEL'];
  /** Signs invitation links; without it one is made and stored in `dataDir`. */
  serverSecret: string | undefined;
  /** The one before, whose links still work and whose sealed values still open. */
  previousServerSecret: string | undefined;
  /** Who may sign up: everyone, or those whose address has an open invitation. */
  signUp: Values['SIGN_UP'];
  publicUrl: string;
  stagingUrl: string | undefined;
  /** The ERP versions and models that the operator offers. */
  catalog: Catalog;
  /** How workers reach the models of the catalog. */
  agents: AgentCatalog;
  /** How the versions of the catalog are run as throwaway instances. */
  erpPrograms: readonly ErpProgram[];
  erpInstances: ErpInstances;
  /** Without a server, mail is stored as files in `dataDir`. */
  mail: { server: SmtpServer | undefined; from: Mailbox };
  /** Requests that one process works on at once; further ones are refused immediately. */
  maxConcurrentRequests: number;
  /** Who issues invoices, and the taxes. */
  issuer: Issuer;
  rateLimits: {
    user: number;
    addFunds: number;
    invitations: number;
    uploads: number;
    probes: number;
    failedAuth: number;
    signIn: number;
    password: number;
    passwordAnywhere: number;
    links: number;
    linksAnywhere: number;
    secondFactor: number;
  };
  /** Where files are, and how many bytes those of one project may take up. */
  files: { folder: string; s3: S3Place | undefined; perProject: number };
  /**
   * Turns of tasks: how many one process carries out at once, how long one may take, and how long
   * a pod is kept that none uses, in milliseconds.
   */
  tasks: { atOnce: number; turnTimeout: number; podIdle: number };
  pods: Pods;
  /** Where the bare repositories are in which the work of tasks is kept. */
  repositories: string;
  /** How many bytes each of them may take up. */
  repositorySize: number;
  /**
   * Addresses and networks of the proxies in front of this server, whose X-Forwarded-For is
   * believed.
   */
  trustedProxies: string[];
  redisUrl: string | undefined;
  /** USD. */
  topUps: { minimum: number; maximum: number };
  /**
   * When an open top-up is checked again: increasing milliseconds after its start; the last check
   * ends it.
   */
  topUpChecks: number[];
  /** How work is paid for; undefined where no one has decided: see `requireBilling`. */
  billing: Billing | undefined;
  /** With `credits` and `off`, it only follows what was charged before. */
  stripe: Stripe | undefined;
  /** Without it, projects have only repositories of this server. */
  github: GitHubApp | undefined;
  /** Where people may sign in instead of here. */
  providers: ProviderSettings;
  /** Which ERP servers may be reached: server/platform/outgoing/outgoing.ts. */
  erp: { allowedNetworks: string[]; allowHttp: boolean };
  /** What an operator must know although it keeps nothing from starting. */
  warnings: string[];
}

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

/**
 * Reads and checks the environment. Throws a ConfigError with every fault; an empty value counts as
 * not set.
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const { values, faults } = readSettings(env);
  const unknown = unknownNames(env);
  faults.push(...unknown.faults);
  const catalogs = readCatalog(values.GUILDHALL_CATALOG, env, faults);
  const publicUrl = values.PUBLIC_URL ?? `http://${inUrl(reachable(values.HOST))}:${values.PORT}`;
  const config: Config = {
    version: manifest.version,
    port: values.PORT,
    host: values.HOST,
    shutdown: { delay: values.SHUTDOWN_DELAY_MS, timeout: values.SHUTDOWN_TIMEOUT_MS },
    maxConcurrentRequests: values.MAX_CONCURRENT_REQUESTS,
    metrics: { host: values.METRICS_HOST, port: values.METRICS_PORT },
    tracing: tracing(values, env, faults),
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    eventDatabaseUrls: values.EVENT_DATABASE_URL,
    database: {
      poolSize: values.DATABASE_POOL_SIZE,
      connectTimeout: values.DATABASE_CONNECT_TIMEOUT_MS,
      statementTimeout: values.DATABASE_STATEMENT_TIMEOUT_MS,
      lockTimeout: values.DATABASE_LOCK_TIMEOUT_MS,
      idleInTransactionTimeout: values.DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS,
      pooler: values.DATABASE_POOLER,
      slowStatement: values.DATABASE_SLOW_STATEMENT_MS,
    },
    maxConnections: {
      total: values.MAX_CONNECTIONS,
      perAddress: values.MAX_CONNECTIONS_PER_ADDRESS,
    },
    sendTimeout: values.SEND_TIMEOUT_MS,
    requestTimeout: values.REQUEST_TIMEOUT_MS,
    logLevel: values.LOG_LEVEL,
    serverSecret: values.SERVER_SECRET,
    previousServerSecret: values.SERVER_SECRET_PREVIOUS,
    signUp: values.SIGN_UP,
    publicUrl,
    stagingUrl: values.STAGING_URL,
    ...catalogs,
    ...erpInstances(values, catalogs.erpPrograms, faults),
    mail: { server: values.SMTP_URL, from: values.MAIL_FROM ?? defaultSender(publicUrl) },
    issuer: {
      name: values.INVOICE_ISSUER_NAME,
      address: values.INVOICE_ISSUER_ADDRESS ?? [],
      country: values.INVOICE_ISSUER_COUNTRY ?? null,
      taxId: values.INVOICE_ISSUER_TAX_ID ?? null,
      prefix: values.INVOICE_PREFIX,
      taxName: values.INVOICE_TAX_NAME,
      taxRates: values.INVOICE_TAX_RATES ?? {},
      reverseChargeNote: values.INVOICE_REVERSE_CHARGE_NOTE,
    },
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
      secondFactor: 10,
    },
    files: {
      folder: join(values.DATA_DIR, 'files'),
      s3: values.FILES_URL,
      perProject: values.FILES_PER_PROJECT_MB * 1024 * 1024,
    },
    tasks: {
      atOnce: values.TASK_TURNS_AT_ONCE,
      turnTimeout: values.TASK_TURN_TIMEOUT_MIN * 60_000,
      podIdle: values.PODS_IDLE_MIN * 60_000,
    },
    pods: pods(values, env, faults),
    repositories: join(values.DATA_DIR, 'repositories'),
    repositorySize: values.GIT_REPOSITORY_MB * 1024 * 1024,
    trustedProxies: values.TRUSTED_PROXIES ?? [],
    redisUrl: values.REDIS_URL,
    topUps: { minimum: values.TOP_UP_MIN, maximum: values.TOP_UP_MAX },
    topUpChecks: values.TOP_UP_CHECKS,
    ...billing(values, catalogs.agents, { faults, warnings: unknown.warnings }),
    github: github(values, faults),
    providers: providers(values, faults),
    erp: {
      allowedNetworks: values.ERP_ALLOWED_NETWORKS ?? [],
      allowHttp: values.ERP_ALLOW_HTTP === 'true',
    },
    warnings: unknown.warnings,
  };
  const { port, host, metrics, topUps } = config;
  if (port !== 0 && metrics.port === port && metrics.host === host)
    faults.push('METRICS_PORT must differ from PORT');
  if (config.eventDatabaseUrls?.some((url) => url === config.databaseUrl))
    faults.push(
      'EVENT_DATABASE_URL must differ from DATABASE_URL: without it the events are stored there',
    );
  if (topUps.minimum > topUps.maximum) faults.push('TOP_UP_MIN must not exceed TOP_UP_MAX');
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
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
