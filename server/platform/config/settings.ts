import { BILLING_MODES } from './billing.ts';
import { s3Place } from './files.ts';
import { appId, rsaKey } from './github.ts';
import { addressLines, country, invoicePrefix, taxRates } from './invoices.ts';
import { mailbox, smtpServer } from './mail.ts';
import { oidcProviders } from './oidc.ts';
import {
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
  secretText,
  shortText,
  text,
  url,
  urls,
  usd,
  webAddress,
  wholeNumber,
} from './readers.ts';

/** One environment variable. */
interface Setting<Value> {
  reader: Reader<Value>;
  /** As an operator would write it; the reader parses it too. */
  fallback?: string;
  /** What docs/operations.md shows where there is no fixed default. */
  shownDefault: string;
  /** The sentence of docs/operations.md. */
  meaning: string;
}

/** A setting that has a value even if it is not set. */
const setting = <Value>(reader: Reader<Value>, fallback: string, meaning: string) => ({
  reader,
  fallback,
  shownDefault: `\`${fallback}\``,
  meaning,
});

/** A setting that may be absent. */
const optional = <Value>(reader: Reader<Value>, meaning: string, shownDefault = '–') => ({
  reader,
  shownDefault,
  meaning,
});

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
    oneOf('none', 'transaction'),
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
    oneOf(...LOG_LEVELS),
    'info',
    LOG_LEVELS.map((level) => `\`${level}\``).join(', '),
  ),
  SERVER_SECRET: optional(
    longSecret,
    'at least 32 characters; signs invitation and sign-in links, and seals the secrets of ' +
      'authenticator apps and of connections to Odoo ([replacing it](operations/secrets.md)); must ' +
      'be the same for every process',
    'made once and kept in `DATA_DIR/server-secret`',
  ),
  SERVER_SECRET_PREVIOUS: optional(
    longSecret,
    'the `SERVER_SECRET` before, while it is replaced: what it sealed and signed still counts',
  ),
  PUBLIC_URL: optional(
    webAddress,
    'the address people use, in invitation links and in `openapi.json`',
    '`http://HOST:PORT`',
  ),
  SIGN_UP: setting(
    oneOf('open', 'invited'),
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
  INVOICE_ISSUER_NAME: setting(
    shortText(200),
    'Guildhall',
    'who issues invoices ([invoices](money.md#invoices-and-credit-notes))',
  ),
  INVOICE_ISSUER_ADDRESS: optional(
    addressLines,
    'the lines below the name, separated by semicolons',
  ),
  INVOICE_ISSUER_COUNTRY: optional(
    country,
    'the country of the issuer, such as `DE`; needed for reverse charge',
  ),
  INVOICE_ISSUER_TAX_ID: optional(shortText(50), 'the tax id of the issuer'),
  INVOICE_PREFIX: setting(
    invoicePrefix,
    'INV-',
    'what the numbers of invoices begin with; each prefix is numbered for itself',
  ),
  INVOICE_TAX_NAME: setting(shortText(50), 'VAT', 'what the tax is called'),
  INVOICE_TAX_RATES: optional(
    taxRates,
    'the tax in percent by the country of the customer, such as `DE=19,FR=20`; `*` is every ' +
      'other country',
    'no tax',
  ),
  INVOICE_REVERSE_CHARGE_NOTE: setting(
    shortText(300),
    'Reverse charge: the recipient is liable for the tax.',
    'what an invoice says instead of the tax, if the customer gives a tax id of another country',
  ),
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
  TASK_TURNS_AT_ONCE: setting(
    wholeNumber(1, 1_000),
    '4',
    'how many turns of tasks one process carries out at once; each has an agent with its ' +
      'processes ([tasks](#tasks))',
  ),
  TASK_TURN_TIMEOUT_MIN: setting(
    wholeNumber(1, 10_080),
    '120',
    'how many minutes a turn may take, without the time in which it waits for an answer',
  ),
  PODS_IDLE_MIN: setting(
    wholeNumber(10, 525_600),
    '1440',
    'how many minutes a pod is kept that no turn uses: its work is committed before',
  ),
  PODS_DRIVER: setting(
    oneOf('process', 'docker', 'kubernetes'),
    'process',
    'where agents work: in processes of this machine, or in containers of a Docker engine or of ' +
      'Kubernetes ([pods](#pods))',
  ),
  PODS_IMAGE: optional(
    text,
    'the image of containers for agents, built from `deploy/agent.Dockerfile`',
  ),
  PODS_NAMESPACE: setting(
    label,
    'guildhall',
    'tells the pods of this installation from those of others at the same Docker engine; in ' +
      'Kubernetes, the namespace that has them',
  ),
  DOCKER_HOST: optional(
    url('unix:', 'tcp:'),
    'the Docker engine: `unix:///path`, or `tcp://name:port` with `DOCKER_CERT_PATH`',
    '`unix:///var/run/docker.sock`',
  ),
  DOCKER_CERT_PATH: optional(
    path,
    'a folder with `ca.pem`, `cert.pem` and `key.pem`, for a Docker engine at a `tcp:` address',
  ),
  KUBERNETES_URL: setting(
    webAddress,
    'https://kubernetes.default.svc',
    'the API of Kubernetes; the default is its address within the cluster',
  ),
  KUBERNETES_TOKEN_FILE: setting(
    path,
    '/var/run/secrets/kubernetes.io/serviceaccount/token',
    'the token for it, read for each call; the default is that of the service account',
  ),
  KUBERNETES_CA_FILE: setting(
    path,
    '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt',
    'the authority that has signed its certificate',
  ),
  PODS_SANDBOX: setting(
    oneOf('required', 'preferred', 'off'),
    'preferred',
    'whether bubblewrap confines the processes of agents on this machine: with `required`, no ' +
      'task is carried out without it; with `preferred`, it is required where strangers may give ' +
      'tasks (`SIGN_UP=open`, a `HOST` that is not the loopback, or `guildhall work`, which knows ' +
      'neither), and elsewhere its absence is said at the start; ' +
      'with `off`, it is not used, and agents have the rights of their user on this machine',
  ),
  ERP_INSTANCES: optional(
    oneOf('off', 'sandbox', 'command', 'docker', 'kubernetes'),
    'what runs the throwaway ERP instances of tasks: nothing, a stand-in for Odoo, programs of ' +
      'this machine that the catalog names, or containers of a Docker engine or of Kubernetes ' +
      '([ERP instances](erp.md#throwaway-instances)); without it the stand-in, while ' +
      '`DATABASE_URL`, `GUILDHALL_CATALOG` and `STRIPE_SECRET_KEY` are not set either, and else ' +
      'nothing',
    '`sandbox` or `off`',
  ),
  ERP_INSTANCES_IDLE_MIN: setting(
    wholeNumber(1, 10_080),
    '240',
    'how many minutes an ERP instance is kept that is not used',
  ),
  ERP_INSTANCES_START_SEC: setting(
    wholeNumber(5, 3_600),
    '300',
    'how many seconds an ERP instance may take to be ready',
  ),
  ERP_INSTANCES_PER_OWNER: setting(
    wholeNumber(1, 100_000),
    '5',
    'how many ERP instances a workspace, or a person with projects of their own, may have at once',
  ),
  ERP_INSTANCES_URL: optional(
    text,
    'where people reach an ERP instance, as you have published it: an address with `{name}`, ' +
      '`{id}` or `{port}`; without it only agents reach instances',
  ),
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
  BILLING: optional(
    oneOf(...BILLING_MODES),
    'how work is paid for: `stripe` charges cards, with `credits` you grant them, `off` only ' +
      'counts costs, `sandbox` takes test cards ([money](money.md#how-work-is-paid-for)). Without ' +
      'it `stripe` if there is a `STRIPE_SECRET_KEY`, else `sandbox` while every model of the ' +
      'catalog is the sandbox agent’s; otherwise the start ends',
    '`stripe` or `sandbox`',
  ),
  STRIPE_SECRET_KEY: optional(
    secretText,
    'charges real cards through Stripe. A database with top-ups by Stripe is refused without it, ' +
      'unless `BILLING` is `credits` or `off` and none of them is open',
  ),
  STRIPE_PUBLISHABLE_KEY: optional(
    text,
    'lets browsers save a card and confirm a charge with Stripe’s script; without it, people ' +
      'cannot save cards',
  ),
  STRIPE_WEBHOOK_SECRET: optional(
    secretText,
    'serves `POST /webhooks/stripe`, whose events are signed with this secret',
  ),
  STRIPE_API_BASE: optional(webAddress, 'another address of Stripe’s API', 'Stripe’s own'),
  STRIPE_TIMEOUT_MS: setting(wholeNumber(100, 120_000), '20000', 'for one call to Stripe’s API'),
  GITHUB_APP_ID: optional(
    appId,
    'connects this server to GitHub as this App ([GitHub](github.md)), together with the next two',
  ),
  GITHUB_APP_PRIVATE_KEY: optional(
    rsaKey,
    'the private key of the App as PEM, on several lines, or on one with `\\n` for line ends',
  ),
  GITHUB_WEBHOOK_SECRET: optional(
    secretText,
    'serves `POST /webhooks/github`, whose deliveries are signed with this secret of the App',
  ),
  GITHUB_API_URL: setting(
    webAddress,
    'https://api.github.com',
    'the API of GitHub; of an Enterprise Server `https://HOST/api/v3`',
  ),
  OIDC_PROVIDERS: optional(
    oidcProviders,
    'a JSON list of OpenID providers with which people may sign in ' +
      '([providers](operations/sign-in.md#providers))',
  ),
  GITHUB_OAUTH_CLIENT_ID: optional(
    secretText,
    'lets people sign in with GitHub, and connect it, by this client ID of the GitHub App ' +
      '([GitHub](github.md#people)), together with the next one',
  ),
  GITHUB_OAUTH_CLIENT_SECRET: optional(secretText, 'a client secret of the same App'),
  ERP_ALLOWED_NETWORKS: optional(
    networks,
    'addresses and networks (`10.0.0.0/8`), separated by commas, in which ERP servers may be ' +
      'although they are not on the public internet. Every person with an account can make this ' +
      'server connect to them ([ERP servers](#erp-servers))',
  ),
  ERP_ALLOW_HTTP: setting(
    oneOf('true', 'false'),
    'false',
    'whether ERP servers may be reached without TLS; logins and keys are then sent in clear text',
  ),
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

/**
 * Reads every setting. An empty value counts as not set; one that is not acceptable adds a sentence
 * to `faults`, and the fallback stands for it.
 */
export function readSettings(env: Record<string, string | undefined>, faults: string[]): Values {
  const read = ([name, { reader, fallback }]: [string, Setting<unknown>]) => {
    const given = env[name] || undefined;
    const value = given && reader.parse(given);
    if (value !== undefined) return [name, value];
    if (given !== undefined)
      faults.push(`${name} must be ${reader.mustBe}${reader.secret ? '' : `, not "${given}"`}`);
    return [name, fallback && reader.parse(fallback)];
  };
  return Object.fromEntries(Object.entries(SETTINGS).map(read));
}
