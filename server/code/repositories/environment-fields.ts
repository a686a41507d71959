/** What a build file and the settings of a project say about where commands run. */
export interface EnvironmentFields {
  /** The id of an image of the catalog. */
  image?: string;
  /** A command for the shell, which runs before the agent, a check or a deploy. */
  setup?: string;
  setupTimeoutMinutes?: number;
  /** Paths of files: the result of the setup is kept until one of them changes. */
  cache?: string[];
}

export const MOST_SETUP = 4_000;
export const MOST_SETUP_MINUTES = 60;
export const MOST_CACHE = 20;
export const MOST_CACHE_PATH = 200;

/** The id of an image, as catalogs name it. */
export const IMAGE_ID = '^[0-9A-Za-z][0-9A-Za-z._:/-]*$';
export const MOST_IMAGE_ID = 100;

const PART = '(?!\\.{1,2}(?:/|$))[^/\\u0000-\\u001f\\u007f-\\u009f]+';
/** The path of a file in the repository: relative, without `.` and `..`. */
export const FILE_PATH = `^${PART}(?:/${PART})*$`;
