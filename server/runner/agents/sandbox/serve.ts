import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { agent, methods, ndJsonStream, RequestError } from '@agentclientprotocol/sdk';
import { Cancelled, Refused, talkTo } from './talk.ts';
import { turn } from './turn.ts';

interface Session {
  tree: string;
  mode: 'plan' | 'build';
  /** USD, in all its processes. */
  spent: number;
  running?: AbortController;
  /** The MCP servers that it was given, by name. */
  servers: string[];
}

const namesOf = (servers: readonly { name: string }[]) => servers.map(({ name }) => name);

interface Serve {
  input: Readable;
  output: Writable;
  /** The folder in which it keeps its sessions. */
  home: string;
}

const MODES = {
  currentModeId: 'build',
  availableModes: [
    { id: 'plan', name: 'Plan' },
    { id: 'build', name: 'Build' },
  ],
};

/** Serves the sandbox agent to one client. The function that it returns ends what it is doing. */
export function serve({ input, output, home }: Serve): () => void {
  const sessions = new Map<string, Session>();
  const folder = join(home, '.guildhall-sandbox');
  const fileOf = (id: string) => join(folder, `${id}.json`);

  function sessionOf(id: string): Session {
    const session = sessions.get(id);
    if (session === undefined) throw RequestError.resourceNotFound(id);
    return session;
  }

  async function save(id: string, { tree, spent }: Session): Promise<void> {
    await mkdir(folder, { recursive: true });
    await writeFile(fileOf(id), JSON.stringify({ tree, spent }));
  }

  agent({ name: 'sandbox' })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: 1,
      agentInfo: { name: 'sandbox', version: '1' },
      agentCapabilities: { loadSession: true, mcpCapabilities: { http: true } },
    }))
    .onRequest(methods.agent.session.new, async ({ params }) => {
      const sessionId = randomUUID();
      const servers = namesOf(params.mcpServers);
      const session: Session = { tree: params.cwd, mode: 'build', spent: 0, servers };
      sessions.set(sessionId, session);
      await save(sessionId, session);
      return { sessionId, modes: MODES };
    })
    .onRequest(methods.agent.session.load, async ({ params }) => {
      const { sessionId, cwd } = params;
      // The id becomes part of a path.
      const known = /^[0-9a-f-]{36}$/.test(sessionId)
        ? await readFile(fileOf(sessionId), 'utf8').catch(() => undefined)
        : undefined;
      if (known === undefined) throw RequestError.resourceNotFound(sessionId);
      const servers = namesOf(params.mcpServers);
      const { spent } = JSON.parse(known);
      sessions.set(sessionId, { tree: cwd, mode: 'build', spent, servers });
      return { modes: MODES };
    })
    .onRequest(methods.agent.session.setMode, ({ params }) => {
      sessionOf(params.sessionId).mode = params.modeId === 'plan' ? 'plan' : 'build';
      return {};
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => {
      sessions.get(params.sessionId)?.running?.abort();
    })
    .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
      const { sessionId } = params;
      const session = sessionOf(sessionId);
      // Instructions come before what was asked for. This agent knows what to do.
      const texts = params.prompt.flatMap((block) => (block.type === 'text' ? [block.text] : []));
      const prompt = texts.at(-1) ?? '';
      const told = texts.slice(0, -1).join('\n\n');
      const files = params.prompt.flatMap((block) =>
        block.type === 'resource_link' ? [{ name: block.name, uri: block.uri }] : [],
      );
      const running = new AbortController();
      session.running = running;
      const talk = talkTo(client, sessionId, running.signal);
      try {
        session.spent = await turn({ ...session, prompt, told, files, talk });
        await save(sessionId, session);
      } catch (error) {
        if (error instanceof Cancelled || running.signal.aborted)
          return { stopReason: 'cancelled' };
        if (error instanceof Refused) return { stopReason: 'refusal' };
        throw RequestError.internalError(undefined, (error as Error).message);
      }
      // Four characters are about one token.
      const inputTokens = Math.ceil(texts.join('').length / 4);
      const outputTokens = Math.ceil(talk.written() / 4);
      const usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
      return { stopReason: 'end_turn', usage };
    })
    .connect(
      ndJsonStream(Writable.toWeb(output), Readable.toWeb(input) as ReadableStream<Uint8Array>),
    );

  return () => {
    for (const { running } of sessions.values()) running?.abort();
  };
}
