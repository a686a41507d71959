import type { Redis } from 'ioredis';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  type RateLimiterRes,
} from 'rate-limiter-flexible';
import { rateLimited } from './errors.ts';

/**
 * The names of the limits of ruling 1.12 in the code; the RateLimit-Policy header uses those below.
 */
export type LimitName = 'user' | 'addFunds' | 'invitations' | 'uploads' | 'failedAuth';

export interface RateLimits {
  /**
   * Takes one. Adds the headers; throws 429 rate_limited with Retry-After (whole seconds) if none
   * is left.
   */
  take(name: LimitName, key: string, headers: Record<string, string>): Promise<void>;
  /** Adds the headers of a limit without taking from it. */
  show(name: LimitName, key: string, headers: Record<string, string>): Promise<void>;
  close(): Promise<void>;
}

const WINDOW_SECONDS = 60;
const POLICY: Record<LimitName, string> = {
  user: 'user',
  addFunds: 'add-funds',
  invitations: 'invitations',
  uploads: 'uploads',
  failedAuth: 'failed-auth',
};

/**
 * Limits per minute, in memory, or in Redis or Valkey if there is an address: then all processes
 * share them, and while that store is down each process counts for itself and requests go on.
 * `onShared` is called once when that begins (with the error) and once when it ends.
 */
export async function rateLimits(
  perMinute: Record<LimitName, number>,
  redisUrl?: string,
  onShared: (error?: Error) => void = () => {},
): Promise<RateLimits> {
  const redis = redisUrl === undefined ? undefined : await connect(redisUrl, onShared);
  const limiters = Object.fromEntries(
    (Object.keys(POLICY) as LimitName[]).map((name) => {
      const options = {
        keyPrefix: `guildhall:${name}`,
        points: perMinute[name],
        duration: WINDOW_SECONDS,
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
    const left = state === null ? perMinute[name] : Math.max(0, state.remainingPoints);
    const seconds =
      state === null ? WINDOW_SECONDS : Math.max(0, Math.ceil(state.msBeforeNext / 1000));
    add('ratelimit-policy', `"${POLICY[name]}";q=${perMinute[name]};w=${WINDOW_SECONDS}`);
    add('ratelimit', `"${POLICY[name]}";r=${left};t=${seconds}`);
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
