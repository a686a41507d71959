import { BILLING_SETTINGS } from './billing.ts';
import { ERP_SETTINGS } from './erp.ts';
import { ERP_INSTANCE_SETTINGS } from './erp-instances.ts';
import { s3Place } from './files.ts';
import { GITHUB_SETTINGS } from './github.ts';
import { INVOICE_SETTINGS } from './invoices.ts';
import { mailbox, smtpServer } from './mail.ts';
import { PROVIDER_SETTINGS } from './providers.ts';
import {
  atLeast,
  increasingDurations,
  milliseconds,
  networks,
  oneOf,
  path,
  perMinute,
  port,
  secretText,
  text,
  url,
  urls,
  usd,
  webAddress,
  wholeNumber,
} from './readers.ts';
import { optional, setting } from './setting.ts';
import { TASK_SETTINGS } from './task-settings.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/**
 * Every environment variable that Guildhall reads, in the order of the table in docs/operations.md,
 * which a test holds equal to this one.
 */
export const SETTINGS = {
  PORT: setting(port, '8080', 'the port to listen on; `0` picks a free one'),
  HOST: setting(text, '127.0.0.1', 'the address to listen on'),
  SHUTDOWN_DELAY_MS: setting(
    wholeNumber(0, 600_000),
    '0',
    'how long the server keeps accepting connections after the signal to stop, with `/readyz` ' +
      'at 503 so that load balancers notice',
  ),
  SHUTDOWN_TIMEOUT_MS: setting(
    wholeNumber(0, 600_000),
    '25000',
    'how long running requests may take after that before they are cut off',
  ),
  MAX_CONCURRENT_REQUESTS: setting(
    wholeNumber(1, 1_000_000),
    '512',
    'how many requests one process works on at once; more are answered 503 `overloaded` with ' +
      '`Retry-After`',
  ),
  MAX_CONNECTIONS: setting(
    wholeNumber(1, 1_000_000),
    '4096',
    'how many connections one process holds open; at the limit an idle one is closed for each ' +
      'new one ([connections](#connections))',
  ),
  MAX_CONNECTIONS_PER_ADDRESS: setting(
    wholeNumber(1, 1_000_000),
    '512',
    'how many of them may come from one client address, or from one /64 network of IPv6; ' +
      '`TRUSTED_PROXIES` are exempt',
  ),
  SEND_TIMEOUT_MS: setting(
    milliseconds,
    '10000',
    'how long a client may read less than 4 KiB of an answer that waits for it; then its ' +
      'connection is cut',
  ),
  METRICS_PORT: optional(
    port,
    'serves `GET /metrics` for Prometheus on this port, and of `guildhall work` also `/livez` ' +
      'and `/readyz`; without it, metrics are off',
  ),
  METRICS_HOST: setting(text, '127.0.0.1', 'the address on which metrics are served'),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    webAddress,
    'sends traces to this OpenTelemetry receiver, as OTLP over HTTP with JSON, at its ' +
      '`/v1/traces` ([traces](operations/monitoring.md#traces)); without it, traces are off',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(
    webAddress,
    'the same, as the complete address; it takes precedence',
  ),
  OTEL_TRACES_SAMPLER: setting(
    text,
    'parentbased_always_on',
    'which requests are traced: `always_on`, `always_off`, `traceidratio`, or one of these ' +
      'after `parentbased_`',
  ),
  OTEL_TRACES_SAMPLER_ARG: setting(
    text,
    '1',
    'the share of requests, from 0 to 1, for `traceidratio`',
  ),
  OTEL_SERVICE_NAME: setting(
    text,
    'guildhall',
    'the name of the service in traces; read by OpenTelemetry itself',
  ),
  OTEL_RESOURCE_ATTRIBUTES: optional(
    text,
    'more attributes of the service in traces; read by OpenTelemetry itself',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: optional(
    secretText,
    'headers that the receiver asks for, such as a key; read by OpenTelemetry itself',
  ),
  DATA_DIR: setting(
    path,
    '.guildhall',
    'the folder of the embedded PostgreSQL, and of the secret made when `SERVER_SECRET` is not set',
  ),
  DATABASE_URL: optional(
    url('postgres:', 'postgresql:'),
    'your own PostgreSQL, 15 or newer; the embedded one is not started then',
  ),
  EVENT_DATABASE_URL: optional(
    urls('postgres:', 'postgresql:'),
    'where the events of tasks are stored: one PostgreSQL database or several, separated by ' +
      'commas; each task has one of them, by its id, so the list stays as it is while there are ' +
      'tasks ([scale](scale.md#the-event-log))',
    'the database above',
  ),
  DATABASE_POOL_SIZE: setting(
    wholeNumber(1, 1000),
    '16',
    'connections for transactions; reads share three more, simple writes four',
  ),
  DATABASE_POOLER: setting(
    oneOf(['none', 'transaction']),
    'none',
    '`transaction` behind PgBouncer in that mode ' +
      '([install](operations/install.md#behind-pgbouncer))',
  ),
  DATABASE_CONNECT_TIMEOUT_MS: setting(
    milliseconds,
    '5000',
    'for opening a connection, and for waiting until one of the pool is free',
  ),
  DATABASE_STATEMENT_TIMEOUT_MS: setting(
    milliseconds,
    '10000',
    'for one statement (`statement_timeout`); 5 s later the server itself gives up',
  ),
  DATABASE_LOCK_TIMEOUT_MS: setting(
    milliseconds,
    '5000',
    'for waiting for a lock (`lock_timeout`)',
  ),
  DATABASE_SLOW_STATEMENT_MS: setting(
    wholeNumber(0, 600_000),
    '1000',
    'a statement that takes longer is logged as a warning, without its values; `0` logs none',
  ),
  DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS: setting(
    milliseconds,
    '30000',
    'for a transaction in which nothing happens',
  ),
  REQUEST_TIMEOUT_MS: setting(
    milliseconds,
    '30000',
    'for a request to arrive completely; its headers must arrive within 10 s of that',
  ),
  LOG_LEVEL: setting(
    oneOf(LOG_LEVELS),
    'info',
    LOG_LEVELS.map((level) => `\`${level}\``).join(', '),
  ),
  SERVER_SECRET: optional(
    atLeast(32),
    'at least 32 characters; signs invitation and sign-in links, and seals the secrets of ' +
      'authenticator apps and of connections to Odoo ([replacing it](operations/secrets.md)); must ' +
      'be the same for every process',
    'made once and kept in `DATA_DIR/server-secret`',
  ),
  SERVER_SECRET_PREVIOUS: optional(
    atLeast(32),
    'the `SERVER_SECRET` before, while it is replaced: what it sealed and signed still counts',
  ),
  PUBLIC_URL: optional(
    webAddress,
    'the address people use, in invitation links and in `openapi.json`',
    '`http://HOST:PORT`',
  ),
  SIGN_UP: setting(
    oneOf(['open', 'invited']),
    'invited',
    'who may sign up: `open` for everyone, `invited` for addresses with an open invitation',
  ),
  STAGING_URL: optional(webAddress, 'a second server in `openapi.json`'),
  GUILDHALL_CATALOG: optional(
    path,
    'a JSON file with the ERP versions and the models that you offer ([catalog](#catalog))',
    'the catalog shown there',
  ),
  SMTP_URL: optional(
    smtpServer,
    'the mail server, such as `smtps://user:password@mail.example.com` ([mail](#mail))',
    'mail is stored as files in `DATA_DIR/mail`',
  ),
  MAIL_FROM: optional(
    mailbox,
    'the sender of mail: an address, or a name and an address',
    '`Guildhall <no-reply@…>` at the host of `PUBLIC_URL`',
  ),
  ...INVOICE_SETTINGS,
  FILES_URL: optional(
    s3Place,
    'the bucket for files, such as `s3://bucket/folder?region=eu-central-1` ([files](#files))',
    'files are stored in `DATA_DIR/files`',
  ),
  FILES_PER_PROJECT_MB: setting(
    wholeNumber(1, 100_000_000),
    '2048',
    'how many MiB the attachments and artifacts of one project may take up',
  ),
  GIT_REPOSITORY_MB: setting(
    wholeNumber(1, 100_000_000),
    '4096',
    'how many MiB a repository of this server may take up once something is pushed to it',
  ),
  ...TASK_SETTINGS,
  ...ERP_INSTANCE_SETTINGS,
  RATE_LIMIT_PER_MINUTE: setting(perMinute, '600', 'requests per user'),
  RATE_LIMIT_ADD_FUNDS_PER_MINUTE: setting(perMinute, '10', 'add-funds requests per user'),
  RATE_LIMIT_INVITATIONS_PER_MINUTE: setting(
    perMinute,
    '60',
    'invitations that a user sends or sends again',
  ),
  RATE_LIMIT_UPLOADS_PER_MINUTE: setting(perMinute, '60', 'files that a user uploads'),
  RATE_LIMIT_PROBES_PER_MINUTE: setting(
    perMinute,
    '10',
    'servers of connections that a user has this one ask',
  ),
  RATE_LIMIT_FAILED_AUTH_PER_MINUTE: setting(
    perMinute,
    '60',
    'refused credentials per address, or per /64 network of IPv6',
  ),
  RATE_LIMIT_SIGN_IN_PER_MINUTE: setting(
    perMinute,
    '30',
    'passwords, links and passkeys that are tried per address, or per /64 network of IPv6',
  ),
  TRUSTED_PROXIES: optional(
    networks,
    'addresses and networks (`10.0.0.0/8`), separated by commas, of the proxies in front of ' +
      'the server: the client is then the right-most address in `X-Forwarded-For` that is not ' +
      'one of them. Each proxy must append the bare address it sees',
  ),
  REDIS_URL: optional(
    url('redis:', 'rediss:'),
    'Redis or Valkey, to share limits between processes; while it is down, each process counts ' +
      'for itself',
  ),
  TOP_UP_MIN: setting(usd, '1', 'the least USD that one add-funds request may ask for'),
  TOP_UP_MAX: setting(usd, '10000', 'the most USD that one add-funds request may ask for'),
  TOP_UP_CHECKS: setting(
    increasingDurations,
    '15s,30s,2m,10m,1h,6h,24h',
    'when a top-up whose outcome is unknown is checked again, counted from its start; a check ' +
      'at or after the last one ends it',
  ),
  ...BILLING_SETTINGS,
  ...GITHUB_SETTINGS,
  ...PROVIDER_SETTINGS,
  ...ERP_SETTINGS,
};
