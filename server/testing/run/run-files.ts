import { resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
// What all files of a process share ends after the last of them: it is loaded outside each of them.
import '../harness/at-end.ts';

/**
 * Runs test files in this process, one after the other. Each is loaded, and what it has opened is
 * closed, before the next: `node --test` would load all of them first and close all of them last.
 */
for (const file of process.argv.slice(2))
  test(file, async (whole) => {
    // No test begins before its file is loaded: the test runner takes a file for done once all the
    // tests that it knows of are.
    const loaded = import(pathToFileURL(resolve(file)).href);
    whole.beforeEach(() => loaded);
    await loaded;
  });
