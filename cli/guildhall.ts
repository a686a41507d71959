#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// What was compiled is kept for the next start, beside the packages: whoever may write there may change the code anyway.
// Where it cannot be written, nothing is kept and nothing is said.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/guildhall'));
await import('./program.ts');
