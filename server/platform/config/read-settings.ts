import type { Setting } from './setting.ts';
import { SETTINGS } from './settings.ts';

type Settings = typeof SETTINGS;

/** The value of each setting; undefined only for those without a fallback. */
export type Values = {
  [Name in keyof Settings]: Settings[Name] extends Setting<infer Value>
    ? Settings[Name] extends { fallback: string }
      ? Value
      : Value | undefined
    : never;
};

export interface ReadSettings {
  values: Values;
  /** One sentence for each value that is not acceptable; `values` then holds the fallback. */
  faults: string[];
}

/** Reads every setting from the environment. An empty value counts as not set. */
export function readSettings(env: Record<string, string | undefined>): ReadSettings {
  const faults: string[] = [];
  const read = (name: string, { reader, fallback }: Setting<unknown>): unknown => {
    const given = env[name];
    if (given !== undefined && given !== '') {
      const value = reader.parse(given);
      if (value !== undefined) return value;
      const shown = reader.secret ? '' : `, not "${given}"`;
      faults.push(`${name} must be ${reader.mustBe}${shown}`);
    }
    return fallback === undefined ? undefined : reader.parse(fallback);
  };
  const values = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, one]) => [name, read(name, one as Setting<unknown>)]),
  ) as Values;
  return { values, faults };
}
