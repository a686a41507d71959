import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { faultsOf } from '../../testing/harness/config-faults.ts';
import { readConfig } from './config.ts';

test('nothing set is a configuration: the one the documentation shows', () => {
  // For ERP instances see server/platform/config/erp-instances.test.ts.
  const { dataDir, files, catalog, agents, version, erpInstances, erpPrograms, settings, ...rest } =
    readConfig({ PORT: '' });
  assert.ok(settings.every(({ source }) => source === 'default' || source === 'unset'));
  assert.deepEqual([erpInstances.sandbox, erpPrograms.length], [true, 4]);
  assert.match(dataDir, /\/\.guildhall$/);
  assert.deepEqual(files, {
    folder: `${dataDir}/files`,
    s3: undefined,
    perProject: 2 * 1024 ** 3,
  });
  assert.match(version, /^\d+\.\d+\.\d+$/);
  assert.deepEqual([catalog.models.length, agents.models.size, agents.faults], [1, 1, []]);
  assert.deepEqual(rest, {
    port: 8080,
    host: '127.0.0.1',
    shutdown: { delay: 0, timeout: 25_000 },
    maxConcurrentRequests: 512,
    maxConnections: { total: 4096, perAddress: 512 },
    sendTimeout: 10_000,
    tracing: undefined,
    metrics: { host: '127.0.0.1', port: undefined },
    databaseUrl: undefined,
    databaseReplicaUrls: [],
    eventDatabaseUrl: undefined,
    database: {
      poolSize: 16,
      connectTimeout: 5_000,
      statementTimeout: 10_000,
      lockTimeout: 5_000,
      idleInTransactionTimeout: 30_000,
      pooler: 'none',
      slowStatement: 1_000,
    },
    requestTimeout: 30_000,
    logLevel: 'info',
    serverSecret: undefined,
    previousServerSecret: undefined,
    signUp: 'invited',
    creation: { workspaces: 'anyone', projects: 'anyone' },
    providers: { github: undefined, oidc: [] },
    erp: { allowedNetworks: [], allowHttp: false },
    images: [],
    webhooks: { allowedNetworks: [], allowHttp: false },
    codeHosts: { allowedNetworks: [], allowHttp: false },
    imports: { allowedNetworks: [], allowHttp: false, maxBytes: 2 * 1024 ** 3 },
    setupResults: { folder: join(dataDir, 'setups'), bytes: 2 * 1024 ** 3 },
    publicUrl: 'http://127.0.0.1:8080',
    publicUrlGiven: false,
    stagingUrl: undefined,
    mail: { server: undefined, from: { name: 'Guildhall', address: 'no-reply@localhost' } },
    issuer: {
      name: 'Guildhall',
      address: [],
      country: null,
      taxId: null,
      prefix: 'INV-',
      taxName: 'VAT',
      taxRates: {},
      reverseChargeNote: 'Reverse charge: the recipient is liable for the tax.',
    },
    rateLimits: {
      user: 600,
      addFunds: 10,
      invitations: 60,
      uploads: 60,
      failedAuth: 60,
      probes: 10,
      secondFactor: 10,
      signIn: 30,
      password: 10,
      passwordAnywhere: 100,
      links: 5,
      linksAnywhere: 20,
      registrations: 30,
    },
    retention: {
      events: 7,
      logs: undefined,
      conversations: undefined,
      files: undefined,
      idempotency: 30,
      webhooks: 30,
      mail: 30,
      notifications: 30,
      routineRuns: 90,
      signIns: undefined,
      invitations: undefined,
    },
    tasks: { atOnce: 4, turnTimeout: 7_200_000, podIdle: 86_400_000 },
    pods: {
      driver: 'process',
      folder: join(dataDir, 'pods'),
      sandbox: 'preferred',
      because: undefined,
      env: {},
      path: undefined,
      image: '',
      namespace: 'guildhall',
      docker: { host: 'unix:///var/run/docker.sock', certificates: undefined },
      kubernetes: {
        url: 'https://kubernetes.default.svc',
        tokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
        caFile: '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt',
      },
    },
    network: {
      hosts: { setup: [], agent: [], checks: [], deploy: [] },
      fixed: [],
      privateNetworks: [],
    },
    repositories: join(dataDir, 'repositories'),
    repositorySize: 4 * 1024 ** 3,
    trustedProxies: [],
    redisUrl: undefined,
    topUps: { minimum: 1, maximum: 10_000 },
    topUpChecks: [15, 30, 120, 600, 3600, 21_600, 86_400].map((seconds) => seconds * 1000),
    billing: { mode: 'sandbox', testMoney: true },
    stripe: undefined,
    github: undefined,
    warnings: [],
  });
});

test('lists of hosts are read in one spelling, and what is none is named', () => {
  const { network } = readConfig({
    PODS_NETWORK_SETUP: 'Registry.Example, *.cdn.example,10.1.0.9:8080',
    PODS_NETWORK_FIXED: 'agent,deploy',
    PODS_NETWORK_PRIVATE: '10.1.0.0/16',
  });
  assert.deepEqual(network, {
    hosts: {
      setup: ['registry.example', '*.cdn.example', '10.1.0.9:8080'],
      agent: [],
      checks: [],
      deploy: [],
    },
    fixed: ['agent', 'deploy'],
    privateNetworks: ['10.1.0.0/16'],
  });
  assert.deepEqual(
    faultsOf({ PODS_NETWORK_AGENT: 'https://a.example', PODS_NETWORK_FIXED: 'all' }),
    [
      'PODS_NETWORK_AGENT must be hosts such as registry.example, *.example.com or cache.example:8443, separated by commas, not "https://a.example"',
      'PODS_NETWORK_FIXED must be some of setup, agent, checks, deploy, separated by commas, not "all"',
    ],
  );
});

test('the events of tasks are in one database, and not in that of the core by its name', () => {
  const [core, events] = ['postgres://a.example/core', 'postgres://b.example/events'];
  assert.deepEqual(faultsOf({ DATABASE_URL: core, EVENT_DATABASE_URL: events }), []);
  assert.match(
    faultsOf({ DATABASE_URL: core, EVENT_DATABASE_URL: core }).join(),
    /EVENT_DATABASE_URL must differ from DATABASE_URL/,
  );
  assert.match(
    faultsOf({ EVENT_DATABASE_URL: `${events},postgres://c.example/events` }).join(),
    /EVENT_DATABASE_URL names one database/,
  );
});

test('replicas are those of a database of your own, each named once', () => {
  const DATABASE_URL = 'postgres://core.example/guildhall';
  const [one, two] = ['postgres://one.example/guildhall', 'postgres://two.example/guildhall'];
  assert.deepEqual(faultsOf({ DATABASE_URL, DATABASE_REPLICA_URLS: `${one}, ${two}` }), []);
  assert.match(
    faultsOf({ DATABASE_REPLICA_URLS: one }).join(),
    /DATABASE_REPLICA_URLS needs DATABASE_URL/,
  );
  assert.match(
    faultsOf({ DATABASE_URL, DATABASE_REPLICA_URLS: `${one},${DATABASE_URL}` }).join(),
    /must not have DATABASE_URL itself/,
  );
  assert.match(
    faultsOf({ DATABASE_URL, DATABASE_REPLICA_URLS: `${one},${one}` }).join(),
    /must have each address once/,
  );
  const [fault] = faultsOf({
    DATABASE_URL,
    DATABASE_REPLICA_URLS: `${one},mysql://root:hunter2@x`,
  });
  assert.match(fault ?? '', /^DATABASE_REPLICA_URLS must be an address that begins with postgres:/);
  assert.doesNotMatch(fault ?? '', /hunter2/);
});

test('a password that is not percent-encoded is a fault that says how, and none of it is repeated', () => {
  for (const password of ['hunter/2', 'hunter#2', 'hunt@er#2', '12#hunter', 'hunter?2']) {
    const faults = faultsOf({ DATABASE_URL: `postgres://u:${password}@db.example/guildhall` });
    assert.equal(faults.length, 1, password);
    assert.match(faults[0] ?? '', /^DATABASE_URL must be .*\/ is %2F, \? is %3F and # is %23/);
    assert.doesNotMatch(faults[0] ?? '', /hunt/);
  }
  const encoded = 'postgres://u:hunt%40er%2F%23%3F@db.example/guildhall';
  assert.equal(readConfig({ DATABASE_URL: encoded }).databaseUrl, encoded);
});

test('every fault is reported at once, and no secret is repeated', () => {
  const faults = faultsOf({
    PORT: '80a',
    LOG_LEVEL: 'loud',
    DATABASE_URL: 'mysql://root:hunter2@x/y',
    DATABASE_POOL_SIZE: '0',
    DATABASE_POOLER: 'session',
    DATABASE_STATEMENT_TIMEOUT_MS: '99',
    DATABASE_LOCK_TIMOUT_MS: '5000',
    REQUEST_TIMEOUT_MS: '30s',
    SERVER_SECRET: 'hunter2',
    PUBLIC_URL: 'nowhere',
    RATE_LIMIT_PER_MINUTE: '0',
    TOP_UP_MIN: '1.005',
    TOP_UP_MAX: '0.5',
    RATE_LIMIT_PER_MINTUE: '5',
    REDIS_URL: 'http://x',
    TOP_UP_CHECKS: '30s,15s',
    STRIPE_SECRET_KEY: 'hunter2',
    STRIPE_API_BASE: 'x',
    SMTP_URL: 'smtp://me:hunter2@mail.example.com?tls=perhaps',
    MAIL_FROM: 'nobody',
    TRUSTED_PROXIES: '10.0.0.0/8, everybody',
    PODS_DRIVER: 'docker',
    PODS_NAMESPACE: 'Guild_hall',
    DOCKER_HOST: 'ssh://me:hunter2@x',
  });
  assert.equal(faults.length, 24, faults.join('\n'));
  assert.ok(!faults.join().includes('hunter2'));
  assert.ok(
    faults.includes('PODS_IMAGE must be set for PODS_DRIVER=docker: the image that agents run in'),
  );
  assert.ok(
    faults.includes('RATE_LIMIT_PER_MINTUE is not a setting: did you mean RATE_LIMIT_PER_MINUTE?'),
  );
});

const MODEL = {
  id: 'sandbox',
  name: 'Sandbox',
  agent: 'sandbox',
  prices: { input: '0.00', output: '0.00' },
  is_default: true,
};

test('pods get the variables that PODS_ENV names, and never keys or settings', () => {
  const env = { NODE_EXTRA_CA_CERTS: '/etc/ca.pem', npm_config_registry: '', UNNAMED: 'x' };
  const PODS_ENV = 'NODE_EXTRA_CA_CERTS, npm_config_registry,NOT_SET';
  assert.deepEqual(readConfig({ ...env, PODS_ENV }).pods.env, {
    NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
  });
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-catalog-'));
  after(() => rmSync(folder, { recursive: true }));
  const GUILDHALL_CATALOG = join(folder, 'catalog.json');
  const provider = {
    id: 'p',
    api: 'openai',
    base_url: 'http://127.0.0.1:1/v1',
    key: { env: 'MODEL_KEY' },
  };
  writeFileSync(GUILDHALL_CATALOG, JSON.stringify({ providers: [provider], models: [MODEL] }));
  const names = [
    'MODEL_KEY',
    'DATABASE_URL',
    'SERVER_SECRET',
    'PATH',
    'PGPASSWORD',
    'AWS_SECRET_ACCESS_KEY',
  ];
  const faults = faultsOf({
    GUILDHALL_CATALOG,
    MODEL_KEY: 'hunter2',
    PGPASSWORD: 'hunter2',
    PODS_ENV: names.join(','),
  });
  assert.deepEqual(
    faults.map((fault) => fault.split(':')[0]),
    names.map((name) => `PODS_ENV must not name ${name}`),
  );
  assert.ok(!faults.join().includes('hunter2'));
  const [fault] = faultsOf({ PODS_ENV: 'A=b' });
  assert.match(fault ?? '', /^PODS_ENV must be names of environment variables/);
});

test('every time-out, the size of the pool and what stands before PostgreSQL can be set', () => {
  const set = readConfig({
    DATABASE_POOL_SIZE: '4',
    DATABASE_CONNECT_TIMEOUT_MS: '1000',
    DATABASE_STATEMENT_TIMEOUT_MS: '2000',
    DATABASE_LOCK_TIMEOUT_MS: '500',
    DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS: '3000',
    DATABASE_POOLER: 'transaction',
    REQUEST_TIMEOUT_MS: '4000',
  });
  assert.deepEqual(set.database, {
    poolSize: 4,
    connectTimeout: 1000,
    statementTimeout: 2000,
    lockTimeout: 500,
    idleInTransactionTimeout: 3000,
    pooler: 'transaction',
    slowStatement: 1000,
  });
  assert.equal(set.requestTimeout, 4000);
});

test('trusted proxies are addresses and networks; a network that contains every address is refused', () => {
  const read = (text: string) => readConfig({ TRUSTED_PROXIES: text }).trustedProxies;
  assert.deepEqual(read('127.0.0.1, 10.0.0.0/8 ,::1,fd00::/8'), [
    '127.0.0.1',
    '10.0.0.0/8',
    '::1',
    'fd00::/8',
  ]);
  for (const bad of [
    'true',
    '*',
    'loopback',
    '1',
    '10.0.0',
    '10.0.0.0/33',
    '::/129',
    '0.0.0.0/0',
    '::/0',
    'a.example',
  ])
    assert.match(
      faultsOf({ TRUSTED_PROXIES: bad }).join(),
      /^TRUSTED_PROXIES must be addresses/,
      bad,
    );
  for (const bad of [
    '10.0.0.1,,10.0.0.2',
    '10.0.0.0/255.0.0.0',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    'fe80::1%eth0',
    ',',
  ])
    assert.equal(faultsOf({ TRUSTED_PROXIES: bad }).length, 1, bad);
});

test('variables of other programs are ignored', () => {
  assert.deepEqual(faultsOf({ PATH: '/bin', NODE_ENV: 'x', HOME: '/' }), []);
});

test('an address loses its trailing slash, and an IPv6 host gets its brackets', () => {
  assert.equal(
    readConfig({ PUBLIC_URL: 'https://guild.example/' }).publicUrl,
    'https://guild.example',
  );
  assert.equal(readConfig({ HOST: '::1', PORT: '1' }).publicUrl, 'http://[::1]:1');
});

test('traces: an address and which; their settings are checked only where there is an address', () => {
  const at = (env: Record<string, string>) => readConfig(env).tracing;
  const sampler = { name: 'parentbased_always_on', ratio: 1 };
  const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };
  assert.deepEqual(at(base), { url: 'http://collector:4318/v1/traces', sampler });
  const whole = { ...base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://elsewhere/traces' };
  assert.deepEqual(at(whole), { url: 'https://elsewhere/traces', sampler });
  const tenth = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' };
  assert.deepEqual(at({ ...base, ...tenth })?.sampler, { name: 'traceidratio', ratio: 0.1 });
  const wrong = {
    OTEL_TRACES_SAMPLER: 'sometimes',
    OTEL_TRACES_SAMPLER_ARG: '10%',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
  };
  assert.deepEqual(faultsOf(wrong), []);
  assert.equal(faultsOf({ ...base, ...wrong }).length, 3);
});

test('the publishable key of Stripe is one, of the same mode, and nothing without the secret key', () => {
  const stripe = (publishable: string, secret = 'sk_test_1234') =>
    faultsOf({ STRIPE_SECRET_KEY: secret, STRIPE_PUBLISHABLE_KEY: publishable });
  assert.deepEqual(stripe('sk_test_1234'), [
    'STRIPE_PUBLISHABLE_KEY must be a publishable key: pk_…',
  ]);
  assert.deepEqual(stripe('pk_live_1234'), [
    'STRIPE_PUBLISHABLE_KEY must be of the same mode as STRIPE_SECRET_KEY: test',
  ]);
  assert.deepEqual(faultsOf({ STRIPE_PUBLISHABLE_KEY: 'pk_test_1234' }), [
    'STRIPE_SECRET_KEY must be set too: without it the other STRIPE_ settings do nothing',
  ]);
  const set = readConfig({
    STRIPE_SECRET_KEY: 'sk_test_1234',
    STRIPE_PUBLISHABLE_KEY: 'pk_test_1234',
  });
  assert.equal(set.stripe?.publishableKey, 'pk_test_1234');
});

test('agents must be confined where strangers may be among those who give them tasks', () => {
  const sandboxOf = (env: Record<string, string>) => {
    const { sandbox, because } = readConfig(env).pods;
    return because === undefined ? sandbox : `${sandbox}: ${because}`;
  };
  for (const HOST of ['127.0.0.1', '127.8.0.1', '::1', 'localhost', '::ffff:127.0.0.1'])
    assert.equal(sandboxOf({ HOST }), 'preferred', HOST);
  for (const HOST of ['0.0.0.0', '::', '10.0.0.7', '::ffff:10.0.0.7', 'nas', '0', 'localhost.lan'])
    assert.match(sandboxOf({ HOST }), /^required: other machines .*\(HOST\)$/, HOST);
  assert.match(sandboxOf({ SIGN_UP: 'open' }), /^required: everyone .*\(SIGN_UP\)$/);
  // Asked for by the operator.
  for (const PODS_SANDBOX of ['required', 'off'])
    assert.equal(sandboxOf({ SIGN_UP: 'open', HOST: '::', PODS_SANDBOX }), PODS_SANDBOX);
});

test('without PUBLIC_URL, links lead to an address that can be opened', () => {
  for (const [HOST, url] of [
    ['0.0.0.0', 'http://127.0.0.1:8080'],
    ['::', 'http://127.0.0.1:8080'],
    ['::1', 'http://[::1]:8080'],
    ['nas.example', 'http://nas.example:8080'],
  ] as const)
    assert.equal(readConfig({ HOST }).publicUrl, url);
});

test('a whole number is written in digits alone', () => {
  for (const given of ['+80', ' 80', '80 ', '80.0', '8e1', '0x50', '-1', '٨٠'])
    assert.deepEqual(faultsOf({ PORT: given }), [
      `PORT must be a whole number from 0 to 65535, not "${given}"`,
    ]);
  assert.match(faultsOf({ GITHUB_APP_ID: '012' })[0] ?? '', /^GITHUB_APP_ID must be the App ID/);
});
