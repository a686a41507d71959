#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Compiled code is cached for the next start, beside the packages: anyone who can write there could
// change the code anyway. If the cache cannot be written, the start goes on without it.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/guildhall'));
await import('./program.ts');
