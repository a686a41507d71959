import { s3Place } from './files.ts';
import { addressLines, country, invoicePrefix, taxRates } from './invoices.ts';
import { mailbox, smtpServer } from './mail.ts';
import { hosts, purposes } from './network.ts';
import { oidcProviders } from './oidc.ts';
import {
  appId,
  days,
  increasingDurations,
  label,
  longSecret,
  milliseconds,
  networks,
  oneOf,
  path,
  perMinute,
  port,
  type Reader,
  rsaKey,
  secretText,
  shortText,
  text,
  url,
  urls,
  usd,
  variableNames,
  webAddress,
  wholeNumber,
} from './readers.ts';
import { fileVariable, fromFile } from './secret-files.ts';

/** Who may create workspaces, and projects (docs/operations/operators.md). */
export const WORKSPACE_CREATION = ['anyone', 'operators'] as const;
export const PROJECT_CREATION = ['anyone', 'in_workspaces', 'operators'] as const;

/** How work is paid for (docs/money.md). */
export const BILLING_MODES = ['stripe', 'credits', 'off', 'sandbox'] as const;

export type BillingMode = (typeof BILLING_MODES)[number];

/** One environment variable. */
interface Setting<Value> {
  reader: Reader<Value>;
  /** As an operator would write it; the reader parses it too. */
  fallback?: string;
}

/** A setting that has a value even if it is not set. */
const setting = <Value>(reader: Reader<Value>, fallback: string) => ({ reader, fallback });

/** A setting that may be absent. */
const optional = <Value>(reader: Reader<Value>) => ({ reader });

/**
 * Every environment variable that Guildhall reads, in the order of the table in docs/operations.md,
 * which says what each of them means; a test compares names, defaults and levels.
 */
export const SETTINGS = {
  PORT: setting(port, '8080'),
  HOST: setting(text, '127.0.0.1'),
  SHUTDOWN_DELAY_MS: setting(wholeNumber(0, 600_000), '0'),
  SHUTDOWN_TIMEOUT_MS: setting(wholeNumber(0, 600_000), '25000'),
  MAX_CONCURRENT_REQUESTS: setting(wholeNumber(1, 1_000_000), '512'),
  MAX_CONNECTIONS: setting(wholeNumber(1, 1_000_000), '4096'),
  MAX_CONNECTIONS_PER_ADDRESS: setting(wholeNumber(1, 1_000_000), '512'),
  SEND_TIMEOUT_MS: setting(milliseconds, '10000'),
  METRICS_PORT: optional(port),
  METRICS_HOST: setting(text, '127.0.0.1'),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(webAddress),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(webAddress),
  OTEL_TRACES_SAMPLER: setting(text, 'parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: setting(text, '1'),
  OTEL_SERVICE_NAME: setting(text, 'guildhall'),
  OTEL_RESOURCE_ATTRIBUTES: optional(text),
  OTEL_EXPORTER_OTLP_HEADERS: optional(secretText),
  DATA_DIR: setting(path, '.guildhall'),
  DATABASE_URL: optional(url('postgres:', 'postgresql:')),
  DATABASE_REPLICA_URLS: optional(urls('postgres:', 'postgresql:')),
  EVENT_DATABASE_URL: optional(url('postgres:', 'postgresql:')),
  DATABASE_POOL_SIZE: setting(wholeNumber(1, 1000), '16'),
  DATABASE_POOLER: setting(oneOf('none', 'transaction'), 'none'),
  DATABASE_CONNECT_TIMEOUT_MS: setting(milliseconds, '5000'),
  DATABASE_STATEMENT_TIMEOUT_MS: setting(milliseconds, '10000'),
  DATABASE_LOCK_TIMEOUT_MS: setting(milliseconds, '5000'),
  DATABASE_SLOW_STATEMENT_MS: setting(wholeNumber(0, 600_000), '1000'),
  DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS: setting(milliseconds, '30000'),
  REQUEST_TIMEOUT_MS: setting(milliseconds, '30000'),
  LOG_LEVEL: setting(oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), 'info'),
  SERVER_SECRET: optional(longSecret),
  SERVER_SECRET_PREVIOUS: optional(longSecret),
  PUBLIC_URL: optional(webAddress),
  SIGN_UP: setting(oneOf('open', 'invited'), 'invited'),
  WORKSPACE_CREATION: setting(oneOf(...WORKSPACE_CREATION), 'anyone'),
  PROJECT_CREATION: setting(oneOf(...PROJECT_CREATION), 'anyone'),
  STAGING_URL: optional(webAddress),
  GUILDHALL_CATALOG: optional(path),
  SMTP_URL: optional(smtpServer),
  MAIL_FROM: optional(mailbox),
  INVOICE_ISSUER_NAME: setting(shortText(200), 'Guildhall'),
  INVOICE_ISSUER_ADDRESS: optional(addressLines),
  INVOICE_ISSUER_COUNTRY: optional(country),
  INVOICE_ISSUER_TAX_ID: optional(shortText(50)),
  INVOICE_PREFIX: setting(invoicePrefix, 'INV-'),
  INVOICE_TAX_NAME: setting(shortText(50), 'VAT'),
  INVOICE_TAX_RATES: optional(taxRates),
  INVOICE_REVERSE_CHARGE_NOTE: setting(
    shortText(300),
    'Reverse charge: the recipient is liable for the tax.',
  ),
  FILES_URL: optional(s3Place),
  FILES_PER_PROJECT_MB: setting(wholeNumber(1, 100_000_000), '2048'),
  SETUP_RESULTS_PER_PROJECT_MB: setting(wholeNumber(0, 100_000_000), '2048'),
  GIT_REPOSITORY_MB: setting(wholeNumber(1, 100_000_000), '4096'),
  RETENTION_EVENTS_DAYS: setting(days, '7'),
  RETENTION_LOGS_DAYS: optional(days),
  RETENTION_CONVERSATIONS_DAYS: optional(days),
  RETENTION_FILES_DAYS: optional(days),
  RETENTION_IDEMPOTENCY_DAYS: setting(wholeNumber(1, 30), '30'),
  RETENTION_WEBHOOKS_DAYS: setting(days, '30'),
  RETENTION_MAIL_DAYS: setting(days, '30'),
  RETENTION_NOTIFICATIONS_DAYS: setting(days, '30'),
  RETENTION_ROUTINE_RUNS_DAYS: setting(days, '90'),
  RETENTION_SIGN_INS_DAYS: optional(days),
  RETENTION_INVITATIONS_DAYS: optional(days),
  TASK_TURNS_AT_ONCE: setting(wholeNumber(1, 1_000), '4'),
  TASK_TURN_TIMEOUT_MIN: setting(wholeNumber(1, 10_080), '120'),
  PODS_IDLE_MIN: setting(wholeNumber(10, 525_600), '1440'),
  PODS_DRIVER: setting(oneOf('process', 'docker', 'kubernetes'), 'process'),
  PODS_IMAGE: optional(text),
  PODS_NAMESPACE: setting(label, 'guildhall'),
  DOCKER_HOST: optional(url('unix:', 'tcp:')),
  DOCKER_CERT_PATH: optional(path),
  KUBERNETES_URL: setting(webAddress, 'https://kubernetes.default.svc'),
  KUBERNETES_TOKEN_FILE: setting(path, '/var/run/secrets/kubernetes.io/serviceaccount/token'),
  KUBERNETES_CA_FILE: setting(path, '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt'),
  PODS_ENV: optional(variableNames),
  PODS_SANDBOX: setting(oneOf('required', 'preferred', 'off'), 'preferred'),
  PODS_NETWORK_SETUP: optional(hosts),
  PODS_NETWORK_AGENT: optional(hosts),
  PODS_NETWORK_CHECKS: optional(hosts),
  PODS_NETWORK_DEPLOY: optional(hosts),
  PODS_NETWORK_FIXED: optional(purposes),
  PODS_NETWORK_PRIVATE: optional(networks),
  ERP_INSTANCES: optional(oneOf('off', 'sandbox', 'command')),
  ERP_INSTANCES_IDLE_MIN: setting(wholeNumber(1, 10_080), '240'),
  ERP_INSTANCES_START_SEC: setting(wholeNumber(5, 3_600), '300'),
  ERP_INSTANCES_PER_OWNER: setting(wholeNumber(1, 100_000), '5'),
  ERP_DUMP_MAX_MB: setting(wholeNumber(1, 1_000_000), '1024'),
  ERP_INSTANCES_URL: optional(text),
  ERP_INSTANCES_LISTEN: optional(text),
  RATE_LIMIT_PER_MINUTE: setting(perMinute, '600'),
  RATE_LIMIT_ADD_FUNDS_PER_MINUTE: setting(perMinute, '10'),
  RATE_LIMIT_INVITATIONS_PER_MINUTE: setting(perMinute, '60'),
  RATE_LIMIT_UPLOADS_PER_MINUTE: setting(perMinute, '60'),
  RATE_LIMIT_PROBES_PER_MINUTE: setting(perMinute, '10'),
  RATE_LIMIT_FAILED_AUTH_PER_MINUTE: setting(perMinute, '60'),
  RATE_LIMIT_SIGN_IN_PER_MINUTE: setting(perMinute, '30'),
  TRUSTED_PROXIES: optional(networks),
  REDIS_URL: optional(url('redis:', 'rediss:')),
  TOP_UP_MIN: setting(usd, '1'),
  TOP_UP_MAX: setting(usd, '10000'),
  TOP_UP_CHECKS: setting(increasingDurations, '15s,30s,2m,10m,1h,6h,24h'),
  BILLING: optional(oneOf(...BILLING_MODES)),
  STRIPE_SECRET_KEY: optional(secretText),
  STRIPE_PUBLISHABLE_KEY: optional(text),
  STRIPE_WEBHOOK_SECRET: optional(secretText),
  STRIPE_API_BASE: optional(webAddress),
  STRIPE_TIMEOUT_MS: setting(wholeNumber(100, 120_000), '20000'),
  GITHUB_APP_ID: optional(appId),
  GITHUB_APP_PRIVATE_KEY: optional(rsaKey),
  GITHUB_WEBHOOK_SECRET: optional(secretText),
  GITHUB_API_URL: setting(webAddress, 'https://api.github.com'),
  OIDC_PROVIDERS: optional(oidcProviders),
  GITHUB_OAUTH_CLIENT_ID: optional(secretText),
  GITHUB_OAUTH_CLIENT_SECRET: optional(secretText),
  ERP_ALLOWED_NETWORKS: optional(networks),
  ERP_ALLOW_HTTP: setting(oneOf('true', 'false'), 'false'),
  WEBHOOK_ALLOWED_NETWORKS: optional(networks),
  WEBHOOK_ALLOW_HTTP: setting(oneOf('true', 'false'), 'false'),
  IMPORT_ALLOWED_NETWORKS: optional(networks),
  IMPORT_ALLOW_HTTP: setting(oneOf('true', 'false'), 'false'),
  CODE_HOST_ALLOWED_NETWORKS: optional(networks),
  CODE_HOST_ALLOW_HTTP: setting(oneOf('true', 'false'), 'false'),
  IMPORT_MAX_MB: setting(wholeNumber(1, 1_000_000), '2048'),
};

type Settings = typeof SETTINGS;

/** The value of each setting; undefined only for those without a fallback. */
export type Values = {
  [Name in keyof Settings]: Settings[Name] extends Setting<infer Value>
    ? Settings[Name] extends { fallback: string }
      ? Value
      : Value | undefined
    : never;
};

/** The settings that may hold a secret: each may also be in the file that `NAME_FILE` names. */
export const SECRET_SETTINGS: readonly string[] = Object.entries(SETTINGS)
  .filter(([, { reader }]: [string, Setting<unknown>]) => reader.secret)
  .map(([name]) => name);

/**
 * Reads every setting. An empty value counts as not set; one that is not acceptable adds a sentence
 * to `faults`, and the fallback stands for it.
 */
export function readSettings(env: Record<string, string | undefined>, faults: string[]): Values {
  const read = ([name, { reader, fallback }]: [string, Setting<unknown>]) => {
    const given = (reader.secret && fromFile(name, env, faults)) || env[name] || undefined;
    const value = given && reader.parse(given);
    if (value !== undefined) return [name, value];
    if (given !== undefined)
      faults.push(`${name} must be ${reader.mustBe}${reader.secret ? '' : `, not "${given}"`}`);
    return [name, fallback && reader.parse(fallback)];
  };
  return Object.fromEntries(Object.entries(SETTINGS).map(read));
}

/** A setting as it is, for operators. Of one that may hold a secret, no more than can be shown. */
export interface ShownSetting {
  name: string;
  value?: string;
  secret: boolean;
  source: 'environment' | 'file' | 'default' | 'unset';
}

/** Every setting in the order of the table. They are valid: `readSettings` found no fault. */
export const shownSettings = (env: Record<string, string | undefined>): ShownSetting[] =>
  Object.entries(SETTINGS).map(([name, { reader, fallback }]: [string, Setting<unknown>]) => {
    const { secret = false } = reader;
    if (secret && env[fileVariable(name)]) return { name, secret, source: 'file' };
    const given = env[name] || undefined;
    if (given === undefined)
      return fallback === undefined
        ? { name, secret, source: 'unset' }
        : { name, secret, source: 'default', value: fallback };
    const value = secret ? reader.shown?.(given) : given;
    return { name, secret, source: 'environment', ...(value !== undefined && { value }) };
  });
