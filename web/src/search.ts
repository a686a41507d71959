/** What the query of an address may hold; anything else in it is as if it were not there. */

export type Search = Record<string, unknown>;

export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const whole = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;

export const yes = (value: unknown): true | undefined => (value === true ? true : undefined);

export const texts =
  <Name extends string>(...names: Name[]) =>
  (search: Search) =>
    Object.fromEntries(names.map((name) => [name, text(search[name])])) as {
      [name in Name]?: string;
    };

export const creating = ({ create }: Search): { create?: true } => ({ create: yes(create) });
