import type { Redis } from 'ioredis';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  type RateLimiterRes,
} from 'rate-limiter-flexible';
import { rateLimited } from './errors.ts';

/** Their names in the RateLimit-Policy header, and their windows in seconds. */
const LIMITS = {
  user: ['user', 60],
  addFunds: ['add-funds', 60],
  invitations: ['invitations', 60],
  uploads: ['uploads', 60],
  failedAuth: ['failed-auth', 60],
  /** Requests to other servers that a person lets this one send. */
  probes: ['probes', 60],
  /** Passwords, links and the like that are tried from one network. */
  signIn: ['sign-in', 60],
  /** Passwords that are tried for one address from one network. */
  password: ['password', 900],
  /** Passwords that are tried for one address from networks that its person does not use. */
  passwordAnywhere: ['password-anywhere', 3600],
  /** Mails with links to one address: asked for from one network, and altogether. */
  links: ['links', 3600],
  linksAnywhere: ['links-anywhere', 3600],
  /** Applications that register themselves from one network. */
  registrations: ['registrations', 600],
  /** Codes that one person tries. */
  secondFactor: ['second-factor', 900],
} as const;

/**
 * The names of the limits of ruling 1.12 in the code; the RateLimit-Policy header uses those below.
 */
export type LimitName = keyof typeof LIMITS;

export interface RateLimits {
  /**
   * Takes one. Adds the headers; throws 429 rate_limited with Retry-After (whole seconds) if none
   * is left.
   */
  take(name: LimitName, key: string, headers: Record<string, string>): Promise<void>;
  /** Gives one back that was taken. */
  giveBack(name: LimitName, key: string): Promise<void>;
  /** Adds the headers of a limit without taking from it. */
  show(name: LimitName, key: string, headers: Record<string, string>): Promise<void>;
  close(): Promise<void>;
}

/**
 * Limits per window, in memory, or in Redis or Valkey if there is an address: then all processes
 * share them, and while that store is down each process counts for itself and requests go on.
 * `onShared` is called once when that begins (with the error) and once when it ends.
 */
export async function rateLimits(
  limits: Record<LimitName, number>,
  redisUrl?: string,
  onShared: (error?: Error) => void = () => {},
): Promise<RateLimits> {
  const redis = redisUrl === undefined ? undefined : await connect(redisUrl, onShared);
  const limiters = Object.fromEntries(
    (Object.keys(LIMITS) as LimitName[]).map((name) => {
      const options = {
        keyPrefix: `guildhall:${name}`,
        points: limits[name],
        duration: LIMITS[name][1],
      };
      const memory = new RateLimiterMemory(options);
      return [
        name,
        redis
          ? new RateLimiterRedis({
              ...options,
              storeClient: redis,
              insuranceLimiter: memory,
              rejectIfRedisNotReady: true,
            })
          : memory,
      ];
    }),
  ) as unknown as Record<LimitName, RateLimiterAbstract>;

  const describe = (
    name: LimitName,
    state: RateLimiterRes | null,
    headers: Record<string, string>,
  ) => {
    const add = (header: string, value: string) => {
      headers[header] = headers[header] === undefined ? value : `${headers[header]}, ${value}`;
    };
    const [policy, window] = LIMITS[name];
    const left = state === null ? limits[name] : Math.max(0, state.remainingPoints);
    const seconds = state === null ? window : Math.max(0, Math.ceil(state.msBeforeNext / 1000));
    add('ratelimit-policy', `"${policy}";q=${limits[name]};w=${window}`);
    add('ratelimit', `"${policy}";r=${left};t=${seconds}`);
    return seconds;
  };

  return {
    take: async (name, key, headers) => {
      try {
        describe(name, await limiters[name].consume(key), headers);
      } catch (state) {
        if (state instanceof Error) throw state;
        const seconds = describe(name, state as RateLimiterRes, headers);
        throw rateLimited({}, { 'retry-after': String(Math.max(1, seconds)) });
      }
    },
    giveBack: async (name, key) => {
      await limiters[name].reward(key, 1);
    },
    show: async (name, key, headers) => {
      describe(name, await limiters[name].get(key), headers);
    },
    close: async () => {
      redis?.disconnect();
    },
  };
}

async function connect(url: string, onShared: (error?: Error) => void): Promise<Redis> {
  // Loaded only if it is used, because it takes 28 MB.
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: 500,
  });
  // Without a listener, a lost connection would end the process. The local limiter has already
  // taken over.
  let lost = false;
  redis.on('error', (error) => {
    if (!lost) onShared(error);
    lost = true;
  });
  redis.on('ready', () => {
    if (lost) onShared();
    lost = false;
  });
  return redis;
}
