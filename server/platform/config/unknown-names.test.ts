import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SETTINGS } from './settings.ts';
import { unknownNames } from './unknown-names.ts';

const named = (...names: string[]) =>
  unknownNames(Object.fromEntries(names.map((name) => [name, 'x'])));

test('a misspelled setting is a fault that names the right one', () => {
  for (const [wrong, right] of [
    ['DATABASE_POOLR', 'DATABASE_POOLER'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['DATABASE_STATMENT_TIMEOUT_MS', 'DATABASE_STATEMENT_TIMEOUT_MS'],
    ['RATE_LIMIT_PER_MINTUE', 'RATE_LIMIT_PER_MINUTE'],
    ['RATE_LIMITS_PER_MINUTE', 'RATE_LIMIT_PER_MINUTE'],
    ['STRIPE_SECRET_KEYS', 'STRIPE_SECRET_KEY'],
    ['STRIPE_WEBHOK_SECRET', 'STRIPE_WEBHOOK_SECRET'],
    ['METRIC_PORT', 'METRICS_PORT'],
    ['TRUSTED_PROXYS', 'TRUSTED_PROXIES'],
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['SHUTDOWN_DELAY', 'SHUTDOWN_DELAY_MS'],
    ['SERVER_SECERT', 'SERVER_SECRET'],
    ['RATE_LIMIT_PER_SECOND', 'RATE_LIMIT_PER_MINUTE'],
    ['TOP_UP_MINIMUM', 'TOP_UP_MIN'],
  ] as const) {
    const { faults, warnings } = named(wrong);
    assert.deepEqual(faults, [`${wrong} is not a setting: did you mean ${right}?`], wrong);
    assert.deepEqual(warnings, [], wrong);
  }
});

test('a name that looks like ours and that other software may set is a warning', () => {
  for (const name of [
    'DATABASE_URL_UNPOOLED',
    'DATABASE_PRIVATE_URL',
    'DATABASE_HOST',
    'DATABASE_SERVICE_HOST',
    'STRIPE_API_KEY',
    'STRIPE_ACCOUNT_ID',
    'STRIPE_DEVICE_NAME',
    'METRICS_ENABLED',
    'LOGLEVEL',
    'REDIS_URI',
    'DATADIR',
    'GUILDHALL_SERVICE_HOST',
    'GUILDHALL_PORT_8080_TCP_ADDR',
  ]) {
    const { faults, warnings } = named(name);
    assert.deepEqual(faults, [], name);
    assert.deepEqual(warnings, [`${name} is not a setting of Guildhall and is ignored`], name);
  }
});

test('next to the right name, one that resembles it is a warning: another program may need it', () => {
  assert.deepEqual(named('DATABASE_URL', 'DATABASE_URI'), {
    faults: [],
    warnings: ['DATABASE_URI is not a setting of Guildhall and is ignored'],
  });
  assert.equal(unknownNames({ DATABASE_URL: '', DATABASE_URI: 'x' }).faults.length, 1);
});

test('settings, names that resemble none, and those of the tests are neither', () => {
  const others =
    'PATH HOME HOSTNAME PORTS POST LOG NODE_ENV PGHOST OTEL_TRACES_EXPORTER OTEL_LOGS_SAMPLER ' +
    'REDIS_TLS_URL';
  for (const name of [
    ...Object.keys(SETTINGS),
    ...others.split(' '),
    'GUILDHALL_TEST_DATABASE_URL',
  ])
    assert.deepEqual(named(name), { faults: [], warnings: [] }, name);
});

test('no setting is taken for another one', () => {
  for (const name of Object.keys(SETTINGS)) assert.deepEqual(named(name).faults, []);
});
