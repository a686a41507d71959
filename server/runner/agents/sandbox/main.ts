import { homedir } from 'node:os';
import { serve } from './serve.ts';

/**
 * A program: the sandbox agent, which speaks ACP on its standard input and output. It needs no
 * model and no key, so that everything around an agent can be tried. See CONTRIBUTING.md.
 */

serve({ input: process.stdin, output: process.stdout, home: homedir() });
