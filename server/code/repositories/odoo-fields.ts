/** What a build file may say of the Odoo modules of a repository, and the patterns that hold for it. */
export interface OdooFields {
  /** Folders that hold modules, as relative paths; left out where manifests tell. */
  addons?: string[];
  /** Modules to install; left out for those of the repository. */
  modules?: string[];
  demo?: boolean;
  /** Which tests are a check of pull requests, as `--test-tags` of Odoo. */
  testTags?: string;
}

/** The name of a module is that of a folder and of a package of Python. */
export const MODULE_NAME = '^[A-Za-z_][A-Za-z0-9_]{0,99}$';
/** One tag is `[-][tag][/module][:class][.method]`, with commas between them. */
export const TEST_TAGS = '^[-+A-Za-z0-9_/:.,*]{1,500}$';
const PART = '[A-Za-z0-9_][A-Za-z0-9_.-]*';
/** Odoo takes a list of them with commas, and expands variables. */
export const ADDONS_PATH = `^(?:[.]|${PART}(?:/${PART})*)$`;
export const MOST_ADDONS = 20;
export const MOST_MODULES = 50;
