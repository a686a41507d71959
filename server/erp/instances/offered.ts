import type { Catalog } from '../../platform/catalog/catalog.ts';
import type { ErpProgram } from '../../platform/catalog/erp-programs.ts';

/** What operations know of ERP instances. */
export interface InstanceSettings {
  driver: 'off' | 'command' | 'docker' | 'kubernetes';
  /** How long one is kept that is not used, in milliseconds. */
  idle: number;
  /** How many a workspace or a person may have at once. */
  perOwner: number;
}

/**
 * The versions and editions that this server can run, each as "version edition". Without programs
 * of the operator's, container engines run the public images, which are of the community edition.
 */
export function runnable(
  { driver }: Pick<InstanceSettings, 'driver'>,
  catalog: Catalog,
  programs: readonly ErpProgram[],
): string[] {
  if (driver === 'off') return [];
  const own = programs.filter(({ start, image }) =>
    driver === 'command' ? start.length > 0 : image !== undefined,
  );
  const known = own.map(({ version }) => version);
  const rest = driver === 'command' ? [] : catalog.erp.versions;
  return [
    ...own.flatMap(({ version, editions }) => editions.map((edition) => `${version} ${edition}`)),
    ...rest
      .filter(({ version }) => !known.includes(version))
      .map(({ version }) => `${version} community`),
  ];
}
