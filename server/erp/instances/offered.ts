import type { ErpProgram } from '../../platform/catalog/erp-programs.ts';

/** What operations know of ERP instances. */
export interface InstanceSettings {
  driver: 'off' | 'command';
  /** How long one is kept that is not used, in milliseconds. */
  idle: number;
  /** How many a workspace or a person may have at once. */
  perOwner: number;
  /** Bytes of a dump. */
  dumpBytes: number;
}

/** The versions and editions that this server can run, each as "version edition". */
export const runnable = (
  { driver }: Pick<InstanceSettings, 'driver'>,
  programs: readonly ErpProgram[],
): string[] =>
  driver === 'off'
    ? []
    : programs.flatMap(({ version, editions }) =>
        editions.map((edition) => `${version} ${edition}`),
      );

/** Those among them for which this server prepares dumps. */
export const preparable = (
  settings: Pick<InstanceSettings, 'driver'>,
  programs: readonly ErpProgram[],
): string[] =>
  runnable(
    settings,
    programs.filter(({ prepare }) => prepare !== undefined),
  );
