import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type {
  CancelNotification,
  InitializeResponse,
  LoadSessionRequest,
  LoadSessionResponse,
  NewSessionRequest,
  NewSessionResponse,
  PromptRequest,
  SetSessionModeRequest,
  SetSessionModeResponse,
} from '@agentclientprotocol/sdk';
import { connect, Failure } from './connection.ts';
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

const notFound = (id: string) => new Failure(-32002, `Resource not found: ${id}`);

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
    if (session === undefined) throw notFound(id);
    return session;
  }

  async function save(id: string, { tree, spent }: Session): Promise<void> {
    await mkdir(folder, { recursive: true });
    await writeFile(fileOf(id), JSON.stringify({ tree, spent }));
  }

  connect(
    { input, output },
    {
      initialize: (): InitializeResponse => ({
        protocolVersion: 1,
        agentInfo: { name: 'sandbox', version: '1' },
        agentCapabilities: { loadSession: true, mcpCapabilities: { http: true } },
      }),
      'session/new': async (params: NewSessionRequest): Promise<NewSessionResponse> => {
        const sessionId = randomUUID();
        const servers = namesOf(params.mcpServers);
        const session: Session = { tree: params.cwd, mode: 'build', spent: 0, servers };
        sessions.set(sessionId, session);
        await save(sessionId, session);
        return { sessionId, modes: MODES };
      },
      'session/load': async (params: LoadSessionRequest): Promise<LoadSessionResponse> => {
        const { sessionId, cwd } = params;
        // The id becomes part of a path.
        const known = /^[0-9a-f-]{36}$/.test(sessionId)
          ? await readFile(fileOf(sessionId), 'utf8').catch(() => undefined)
          : undefined;
        if (known === undefined) throw notFound(sessionId);
        const servers = namesOf(params.mcpServers);
        const { spent } = JSON.parse(known);
        sessions.set(sessionId, { tree: cwd, mode: 'build', spent, servers });
        return { modes: MODES };
      },
      'session/set_mode': (params: SetSessionModeRequest): SetSessionModeResponse => {
        sessionOf(params.sessionId).mode = params.modeId === 'plan' ? 'plan' : 'build';
        return {};
      },
      'session/cancel': ({ sessionId }: CancelNotification) => {
        sessions.get(sessionId)?.running?.abort();
      },
      'session/prompt': async (params: PromptRequest, client) => {
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
          throw new Failure(-32603, `Internal error: ${(error as Error).message}`);
        }
        // Four characters are about one token.
        const inputTokens = Math.ceil(texts.join('').length / 4);
        const outputTokens = Math.ceil(talk.written() / 4);
        const usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
        return { stopReason: 'end_turn', usage };
      },
    },
  );

  return () => {
    for (const { running } of sessions.values()) running?.abort();
  };
}
