import { posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LinkedFile } from './agent.ts';

/**
 * The blocks of a prompt: the texts, then a link to each file. Every agent takes these two kinds of
 * blocks; others depend on what it can do.
 */
export const promptOf = (
  texts: readonly string[],
  files: readonly LinkedFile[],
  workTree: string,
) => [
  ...texts.map((text) => ({ type: 'text' as const, text })),
  ...files.map(({ path, name, mediaType, size }) => ({
    type: 'resource_link' as const,
    uri: pathToFileURL(posix.join(workTree, path)).href,
    name,
    mimeType: mediaType,
    size,
  })),
];
