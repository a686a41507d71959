import { accessSync, constants, readlinkSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { AgentFields, Api } from '../platform/catalog/agent-fields.ts';
import { WORK_TREE } from '../platform/pods/places.ts';

/**
 * Real agents, where they are installed: on the PATH, or by npm in a folder (or several, as in a
 * PATH) that GUILDHALL_TEST_AGENTS names. None of them is a dependency: they are large, and each of
 * them is another one's program.
 */

export interface InstalledAgent {
  /** As it is named in the catalog. */
  id: string;
  program: string;
  api: Api;
  /** What its model asks it to do, as calls of tools that it has. Paths are of a confined pod. */
  look: Record<string, object>;
  write: Record<string, object>;
}

const file = `${WORK_TREE}/hello.txt`;
const content = 'Hello.\n';
const shell = (command: string) => ({
  exec_command: { cmd: command },
  shell_command: { command },
  shell: { command: ['sh', '-c', command] },
});

export const AGENTS: InstalledAgent[] = [
  {
    id: 'opencode',
    program: 'opencode',
    api: 'openai',
    look: { glob: { pattern: '*' } },
    write: { write: { filePath: file, content } },
  },
  {
    id: 'claude-agent-acp',
    program: 'claude-agent-acp',
    api: 'anthropic',
    look: { Glob: { pattern: '*' } },
    write: { Write: { file_path: file, content } },
  },
  {
    id: 'qwen-code',
    program: 'qwen',
    api: 'openai',
    look: { list_directory: { path: WORK_TREE } },
    write: { write_file: { file_path: file, content } },
  },
  {
    id: 'gemini',
    program: 'gemini',
    api: 'gemini',
    look: { list_directory: { dir_path: WORK_TREE } },
    write: { write_file: { file_path: file, content } },
  },
  {
    id: 'codex',
    program: 'codex-acp',
    api: 'openai',
    look: shell('ls'),
    write: shell(`printf 'Hello.\\n' > ${file}`),
  },
];

/** Its entry in a catalog; undefined where it is not installed. `more`: further folders of npm. */
export function installed(
  { id, program }: InstalledAgent,
  more: readonly string[] = [],
): AgentFields | undefined {
  const { PATH = '', GUILDHALL_TEST_AGENTS = '' } = process.env;
  const folders = [...more, ...GUILDHALL_TEST_AGENTS.split(delimiter)].filter(Boolean);
  const places = [
    ...folders.map((folder) => join(folder, 'node_modules/.bin')),
    ...PATH.split(delimiter).filter((folder) => !folder.includes('node_modules')),
  ];
  const command = places.map((folder) => join(folder, program)).find(runs);
  if (command === undefined) return undefined;
  const modules = /^.*\/node_modules(?=\/)/.exec(realpathSync(command))?.[0];
  return { id, command, readable: [modules ?? dirname(command)], reports_usage: false };
}

function runs(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    readlinkSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EINVAL';
  }
}
