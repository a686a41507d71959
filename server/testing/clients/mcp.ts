import { after } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** What a tool has answered. */
interface ToolReply {
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever an answer holds.
  body: any;
  text: string;
  failed: boolean;
}

/**
 * The official client of the protocol, connected to a server with a key until the test file ends.
 * It speaks the revisions up to 2025 that begin with a handshake, or with `auto` the newest one.
 */
export async function mcpClient(server: string, key: string, mode: 'legacy' | 'auto' = 'legacy') {
  const client = new Client({ name: 'a-test', version: '1.0.0' }, { versionNegotiation: { mode } });
  after(() => client.close());
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', server), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  );
  return {
    client,
    tools: async () => (await client.listTools()).tools,
    call: async (name: string, input: Record<string, unknown> = {}): Promise<ToolReply> => {
      const { content, structuredContent, isError } = await client.callTool({
        name,
        arguments: input,
      });
      const [first] = content as { text?: string }[];
      return { body: structuredContent, text: first?.text ?? '', failed: isError === true };
    },
    read: async (uri: string): Promise<string> => {
      const { contents } = await client.readResource({ uri });
      return (contents[0] as { text: string }).text;
    },
  };
}
