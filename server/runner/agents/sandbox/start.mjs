import { enableCompileCache, flushCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

// Plain JavaScript, so that nothing is compiled before the cache is known: to strip the types takes
// half of what a start costs. The home of a pod keeps it for the next turn. It is written at once,
// because the end of a turn kills the agent.
enableCompileCache(join(homedir(), '.guildhall-sandbox/compiled'));
await import('./main.ts');
flushCompileCache();
