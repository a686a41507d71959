import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** A file that a person has attached, as the prompt links it. */
export interface Attached {
  name: string;
  uri: string;
}

/** A line for each, with what was read of it: names are data, and may hold any punctuation. */
export const described = (files: Attached[]): Promise<string[]> =>
  Promise.all(
    files.map(async ({ name, uri }) => {
      const content = await readFile(fileURLToPath(uri)).catch(() => undefined);
      const found = content === undefined ? 'cannot be read' : `${content.length} bytes`;
      return `- ${name} (${found})`;
    }),
  );
