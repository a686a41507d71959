/**
 * What the program of an instance is told beside its environment, as JSON in the file that
 * GUILDHALL_INSTANCE_ORDER names, and what it answers in `report`. Programs that know neither run
 * without the code of the branch.
 */
export interface InstanceOrder {
  /** What the instance runs: the branch of its task; undefined where it has no modules. */
  code?: CodeOrder | undefined;
  /** The branch that tasks of the project begin with, of which copies are kept for the next ones. */
  base?: CodeOrder | undefined;
  /** What the database begins with, instead of an empty one. */
  dump?: DumpOrder | undefined;
  /** Names what may be kept of this project, and of no other. */
  project: string;
  demo: boolean;
  /** What to test, instead of serving: as `--test-tags` of Odoo. */
  testTags?: string | undefined;
}

/** The dump of a project, as `prepare` has restored it. */
export interface DumpOrder {
  id: string;
  /** The name of its database, which is only copied. */
  database: string;
  /** For `prepare`: the zip that a person has uploaded. */
  file?: string | undefined;
}

export interface CodeOrder {
  commit: string;
  /** Folder of this machine with the files of the commit, which nobody changes. */
  folder: string;
  /** Folders in it that hold modules, as relative paths; `.` for itself. */
  addons: string[];
  /**
   * The modules to install, with the id of what git has of each: it changes with any of its files.
   * Empty for a module of Odoo itself.
   */
  modules: Record<string, string>;
}

export interface InstanceReport {
  /** What it runs: undefined where that is nothing of the branch. */
  commit?: string | undefined;
  /** Of a commit that could not be installed: which, and the end of what Odoo has said. */
  broken?: { commit: string; problem: string } | undefined;
  /** What the database began with. */
  data?: 'empty' | 'demo' | 'dump' | undefined;
  /** The database of the dump is gone, so that nothing was started. */
  missing?: 'dump' | undefined;
  /** What it needs does not answer, such as PostgreSQL: nothing was changed, and it is tried again. */
  unavailable?: boolean | undefined;
  /** Why it was not started, or the dump cannot be used, as a sentence for people. */
  problem?: string | undefined;
  /** Whole seconds that it took until Odoo was started. */
  seconds: number;
}
