#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Compiled code is cached for the next start, beside the packages: anyone who can write there could
// change the code anyway. If the cache cannot be written, the start goes on without it.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/guildhall'));
const { run } = await import('./program.ts');

// `guildhall keys list | head` closes the pipe before everything is written, which is not a
// failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`Standard output cannot be written (${error.code}).\n`);
  process.exit(1);
});
process.exitCode = await run(process.argv.slice(2), process);
