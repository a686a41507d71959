import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { append, build, leave } from './build.ts';
import { type Cue, cuesOf } from './cues.ts';
import { type Read, readErp } from './erp.ts';
import { filesOf, planOf } from './plan.ts';
import type { Talk } from './talk.ts';

/** USD of a turn without the cue `cost`. */
const COSTS = { plan: 0.002, build: 0.005 };

/** Cues that a plan turn passes on, because only a build turn may do what they say. */
const LATER = ['permission', 'artifact', 'erp'];

interface Work {
  mode: 'plan' | 'build';
  prompt: string;
  /** What came before it. */
  told: string;
  /** The MCP servers that it was given, by name. */
  servers: string[];
  /** What a person has attached. */
  files: Attached[];
  tree: string;
  talk: Talk;
  /** USD that the session has cost before this turn. */
  spent: number;
}

/** One turn of the sandbox agent. Returns what the session has cost after it, in USD. */
export async function turn({
  mode,
  prompt,
  told,
  servers,
  files,
  tree,
  talk,
  spent,
}: Work): Promise<number> {
  const { now, later } = cuesOf(prompt);
  const first = await act(now, { mode, told, servers, tree, talk });
  const total = spent + (first ?? COSTS[mode]);
  if (mode === 'plan') {
    await talk.thought('I read the message and look at the work tree.');
    const listing = await talk.tool({ title: 'List the work tree', kind: 'read' }, async () =>
      (await filesOf(tree)).join('\n'),
    );
    await talk.pause();
    const kept = now.filter(({ name }) => LATER.includes(name));
    await talk.message(
      planOf({
        message: prompt,
        files: listing.split('\n').filter(Boolean),
        attachments: await described(files),
        later: [...kept, ...later],
      }),
    );
  } else {
    await talk.message('I begin with the files of the plan.');
    await talk.message(await build(prompt, tree, talk));
  }
  await talk.cost(total);
  return total;
}

/** Reads from an ERP system and writes what it was to a file. */
async function tellOfErp(tree: string, talk: Talk): Promise<void> {
  let read: Read | undefined;
  await talk.tool({ title: 'Read a partner from the ERP system', kind: 'read' }, async () => {
    // biome-ignore lint/style/noProcessEnv: what the worker tells an agent.
    read = await readErp(process.env);
    return read.sentence;
  });
  if (read?.file !== undefined) await append(tree, 'erp.md', read.file, talk);
  await talk.message(`${read?.sentence}\n\n`);
}

/** Does what the cues say. Returns the cost of the turn, if one says it. */
async function act(
  cues: Cue[],
  { mode, told, servers, tree, talk }: Pick<Work, 'mode' | 'told' | 'servers' | 'tree' | 'talk'>,
): Promise<number | undefined> {
  let cost: number | undefined;
  for (const { name, value } of cues)
    switch (name) {
      case 'ask': {
        const answer = await talk.question('Which way shall I go?', ['Short', 'Thorough']);
        await talk.message(`You have chosen: ${answer ?? 'nothing'}.\n\n`);
        break;
      }
      case 'permission': {
        if (mode === 'plan') break;
        const chosen = await talk.permission('Deploy to the staging server');
        await talk.message(`The permission was ${chosen === 'allow' ? 'given' : 'refused'}.\n\n`);
        break;
      }
      case 'artifact':
        if (mode === 'build') await leave(tree, value || 'report.txt');
        break;
      case 'erp':
        if (mode === 'build') await tellOfErp(tree, talk);
        break;
      case 'told':
        await talk.message(`${told}\n\n`);
        break;
      case 'mcp':
        await talk.message(`MCP servers: ${servers.join(', ') || 'none'}.\n\n`);
        break;
      case 'slow':
        await talk.pause(1000 * Math.min(Number(value) || 10, 600));
        break;
      case 'large':
        await talk.message('0123456789abcdef'.repeat(16_384));
        break;
      case 'cost':
        cost = Number(value) || 0;
        break;
      case 'fail':
        throw new Error('The cue [[fail]] asked for a failure.');
      case 'crash':
        process.exit(70);
        break;
      case 'hang':
        // Deaf to a cancellation, too.
        await new Promise(() => setInterval(() => undefined, 60_000));
    }
  return cost;
}

/** A file that a person has attached, as the prompt links it. */
interface Attached {
  name: string;
  uri: string;
}

/** A line for each, with what was read of it: names are data, and may hold any punctuation. */
const described = (files: Attached[]): Promise<string[]> =>
  Promise.all(
    files.map(async ({ name, uri }) => {
      const content = await readFile(fileURLToPath(uri)).catch(() => undefined);
      const found = content === undefined ? 'cannot be read' : `${content.length} bytes`;
      return `- ${name} (${found})`;
    }),
  );
