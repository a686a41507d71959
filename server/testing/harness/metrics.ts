import type { Registry } from 'prom-client';

/** The values of all series in a scrape of this name, by their labels as they are written. */
export async function seriesOf(registry: Registry, name: string): Promise<Record<string, number>> {
  const lines = (await registry.metrics())
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return Object.fromEntries(
    lines.map((line) => [
      line.slice(name.length, line.lastIndexOf(' ')),
      Number(line.slice(line.lastIndexOf(' '))),
    ]),
  );
}
