/** Test files that change something of their process which other files would see, and what. */
export const OWN_PROCESS: Readonly<Record<string, string>> = {};
