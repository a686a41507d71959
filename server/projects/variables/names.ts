/** What the environment of a process may not be given by a project. */

/** The form of a name, as a shell reads it; the table has the same check. */
export const VARIABLE_NAME = '^[A-Za-z_][A-Za-z0-9_]{0,99}$';

/** Set for every process, by a driver of pods or with its command: another value would be lost. */
const OURS = ['CI', 'HOME', 'PATH', 'TMPDIR'];

/** They change what the commands of `.guildhall.yml` do, beside what people read there. */
const OF_SHELLS = ['BASHOPTS', 'BASH_ENV', 'SHELLOPTS'];

/**
 * What the C library itself ignores in programs with more rights than their caller (unsecvars.h of
 * glibc), and the like of macOS: on the process driver, bubblewrap and prlimit start with the
 * environment of the pod, still outside of it.
 */
const OF_LOADERS = [
  'DYLD_FALLBACK_LIBRARY_PATH',
  'DYLD_FRAMEWORK_PATH',
  'DYLD_INSERT_LIBRARIES',
  'DYLD_LIBRARY_PATH',
  'GCONV_PATH',
  'GETCONF_DIR',
  'GLIBC_TUNABLES',
  'HOSTALIASES',
  'LD_AUDIT',
  'LD_DEBUG',
  'LD_DEBUG_OUTPUT',
  'LD_DYNAMIC_WEAK',
  'LD_HWCAP_MASK',
  'LD_LIBRARY_PATH',
  'LD_ORIGIN_PATH',
  'LD_PRELOAD',
  'LD_PROFILE',
  'LD_PROFILE_OUTPUT',
  'LD_SHOW_AUXV',
  'LOCALDOMAIN',
  'LOCPATH',
  'MALLOC_TRACE',
  'NIS_PATH',
  'NLSPATH',
  'RESOLV_HOST_CONF',
  'RES_OPTIONS',
  'TZDIR',
];

const RESERVED = new Set([...OURS, ...OF_SHELLS, ...OF_LOADERS]);

/**
 * Whether a project may not set this variable. What programs read in the pod alone, such as
 * NODE_OPTIONS, npm_config_registry, GIT_SSL_CAINFO or LANG, is the project's to set.
 */
export const isReserved = (name: string): boolean =>
  RESERVED.has(name) || name.startsWith('GUILDHALL_');
