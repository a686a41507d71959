import { type Config, ConfigError, readConfig } from '../../platform/config/config.ts';
import { type Finding, failure, ok, warning } from './finding.ts';

type Environment = Record<string, string | undefined>;

/**
 * The configuration, and what is wrong with it. Settings with faults are left out, so that the rest can
 * be looked at; undefined if there is no way to do so.
 */
export function checkSettings(env: Environment): { config: Config | undefined; found: Finding[] } {
  const found: Finding[] = [];
  const usable = { ...env };
  for (let attempt = 0; attempt < 10; attempt++) {
    try {
      const config = readConfig(usable);
      found.push(...config.warnings.map((text) => warning('settings', text)));
      found.push(...aboutBilling(config), ...aboutAddress(config));
      if (!found.some(({ level }) => level !== 'ok'))
        found.unshift(ok('settings', 'all are known and valid'));
      return { config, found };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      found.push(...error.faults.map((text) => failure('settings', text)));
      const named = Object.keys(usable).filter((name) =>
        error.faults.some((text) => new RegExp(`(^|[^A-Z_])${name}([^A-Z_]|$)`).test(text)),
      );
      if (named.length === 0) break;
      for (const name of named) delete usable[name];
    }
  }
  return { config: undefined, found };
}

function aboutBilling({ billing, agents }: Config): Finding[] {
  const found: Finding[] = [];
  if (billing === undefined)
    found.push(
      failure(
        'settings',
        'BILLING must be set, because models cost real money: stripe, credits or off',
      ),
    );
  found.push(...agents.faults.map((text) => failure('settings', text)));
  return found;
}

const LOCAL = /^(localhost|127\.|\[?::1)/;

function aboutAddress({ publicUrl, publicUrlGiven, host, signUp }: Config): Finding[] {
  if (!URL.canParse(publicUrl))
    return [failure('settings', `HOST must be an address or the name of a machine, not ${host}`)];
  const { protocol, hostname, pathname, search } = new URL(publicUrl);
  const isLocal = LOCAL.test(hostname);
  const say = (text: string) => [warning('public address', `${publicUrl}: ${text}`)];
  if (!publicUrlGiven && !LOCAL.test(host))
    return say(
      'this follows from HOST: set PUBLIC_URL to what people type, as links in mails lead there',
    );
  if (pathname !== '/' || search !== '') return say('PUBLIC_URL must have no path');
  if (protocol === 'http:' && !isLocal)
    return say(
      'without https, keys and sessions can be read on the way: put a proxy with TLS in front',
    );
  if (isLocal && signUp === 'open')
    return say('SIGN_UP is open, but nobody else reaches this address');
  return [ok('public address', publicUrl)];
}
