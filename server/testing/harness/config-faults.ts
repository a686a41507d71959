import assert from 'node:assert/strict';
import { ConfigError, readConfig } from '../../platform/config/config.ts';

/** What is wrong with an environment, as sentences. */
export function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
}
