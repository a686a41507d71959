import { serve } from '../../platform/threads/serve.ts';
import { parseBuildFile } from './parse-build-file.ts';

/** Parses build files, in a thread of its own. */
serve(parseBuildFile);
