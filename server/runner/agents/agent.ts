import type { Pod } from '../../platform/pods/pod.ts';

/**
 * An agent is a program that speaks the Agent Client Protocol (ACP) on its standard input and
 * output. It runs in a pod; the driver (server/runner/agents/start-agent.ts) holds the conversation with it.
 */

/** How to run an agent: its entry in the catalog. */
export interface AgentCommand {
  id: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Folders of this machine with its program, which its pod may read. */
  readable: readonly string[];
  /** The same in a pod that is elsewhere, whose image holds the program; by default the same. */
  inImage?: { command: string; args: readonly string[] };
  /** Its mode in plan turns where `confined` is set; otherwise one that is read-only. */
  confinedPlanMode?: string | undefined;
}

/** A header, or a variable of an environment. */
export interface Named {
  name: string;
  value: string;
}

/** A server of the Model Context Protocol that an agent connects to, or starts beside itself. */
export type McpServer = { name: string } & (
  | { url: string; headers: Named[] }
  | { command: string; args: string[]; env: Named[] }
);

export interface StartAgent {
  agent: AgentCommand;
  pod: Pod;
  /**
   * `plan`: the work tree is read-only, and the driver refuses every permission but those to read
   * and search. `build`: the agent may do as it likes within its pod.
   */
  mode: 'plan' | 'build';
  /** Whether the pod keeps a work tree read-only in plan turns; false by default. */
  confined?: boolean;
  /** As the agent itself names it; undefined leaves the choice to the agent. */
  model: string | undefined;
  /** What it is to connect to; none by default. */
  mcpServers?: readonly McpServer[];
  /** Called for each of them that the agent cannot use. */
  onUnusable?: (server: McpServer) => void;
  /** Sockets of this machine that it may connect to, as in PodCommand. */
  sockets?: Readonly<Record<string, string>>;
  /** The `sessionId` to continue. The agent starts a new session when it has lost that one. */
  resume?: string;
  /**
   * With `resume`: nano-USD that the session has reported so far, in all its processes. Agents that
   * report the cost of the whole session would be paid for it again otherwise; those that begin
   * from zero are recognised.
   */
  spentBefore?: bigint;
  /** Called in order. It must not throw; what it returns is not waited for. */
  onUpdate: (update: AgentUpdate) => void;
  /** While this returns a promise, nothing that the agent writes is read. It must not reject. */
  room?: () => Promise<void> | undefined;
  /**
   * Asks a person. The driver waits as long as it takes: whoever implements it sets the deadline.
   * `signal` aborts when the answer is no longer of use (the turn was cancelled or the agent
   * ended).
   */
  onRequest: (request: AgentRequest, signal: AbortSignal) => Promise<AgentAnswer>;
  /** What is not for the person who watches, such as stray output of the agent. One line each. */
  onNotice?: (line: string) => void;
  /** Removes secrets from what the agent says in errors. */
  hide?: (text: string) => string;
  /** Ends the agent when it aborts. */
  signal: AbortSignal;
  /** Milliseconds; only tests set them. */
  deadlines?: Partial<Deadlines>;
}

/** A file of the work tree that an agent is to read. */
export interface LinkedFile {
  /** Relative to the work tree. */
  path: string;
  /** What people call it. */
  name: string;
  mediaType: string;
  /** Bytes. */
  size: number;
}

export interface Deadlines {
  /** For the agent to start and open a session. */
  start: number;
  /** From `cancel` until the agent is killed because it has not ended the turn itself. */
  cancel: number;
}

export interface AgentSession {
  /** For `resume`. */
  readonly sessionId: string;
  /** False when `resume` named a session that the agent has lost. */
  readonly resumed: boolean;
  /**
   * Runs one turn. The agent gets the instructions and the text as two blocks, in this order, and
   * then a link to each file. Never rejects: what goes wrong is the result `failed`. Only one turn
   * runs at a time; a second call throws.
   */
  prompt(text: string, instructions?: string, files?: readonly LinkedFile[]): Promise<TurnResult>;
  /**
   * Ends the running turn: the agent is asked to, and killed with its descendants when it has not
   * done so within 8 s. Resolves when the turn has ended, or at once when none runs.
   */
  cancel(): Promise<void>;
  /** Ends the agent and its descendants. May be called more than once. */
  close(): Promise<void>;
  /** Resolves once the agent's process has ended, for whatever reason. */
  readonly ended: Promise<void>;
}

export interface TurnResult {
  stopReason: 'done' | 'cancelled' | 'refused' | 'max_tokens' | 'failed';
  /**
   * The agent's last message of the turn: in a plan turn, this is the plan. May be empty. Where an
   * agent names its messages, a text without a name is not part of it: those are notices.
   */
  text: string;
  /**
   * What the turn used in all, the sum of its `usage` updates; undefined if nothing was reported.
   */
  usage?: Usage;
  /** For `failed`: what happened, as a sentence. It may quote the agent. */
  error?: string;
  /** False when the agent has ended, so that this session takes no further turn. */
  alive: boolean;
}

/** Tokens, and nano-USD. What the agent did not report is undefined. */
export interface Usage {
  inputTokens?: number;
  outputTokens?: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  /** Those that the cache keeps for an hour; they are not among `cacheWriteTokens`. */
  longCacheWriteTokens?: number;
  costNano?: bigint;
}

/** What an agent does during a turn. */
export type AgentUpdate =
  /** `messageId`: which message it is a piece of, where the agent says so. */
  | { type: 'message' | 'thought'; text: string; messageId?: string }
  | ({ type: 'tool_call' } & ToolCall)
  | ({ type: 'tool_call_update' } & Partial<ToolCall> & { toolCallId: string })
  | { type: 'todo'; entries: TodoEntry[] }
  /** The increase since the update before, never a total. */
  | { type: 'usage'; usage: Usage };

/** Texts are cut at 32,768 characters each. */
export interface ToolCall {
  toolCallId: string;
  title: string;
  kind: ToolKind;
  status: 'pending' | 'in_progress' | 'completed' | 'failed';
  content: ToolContent[];
  /** Files it concerns, as the agent names them. */
  locations: string[];
}

export type ToolKind =
  | 'read'
  | 'edit'
  | 'delete'
  | 'move'
  | 'search'
  | 'execute'
  | 'think'
  | 'fetch'
  | 'switch_mode'
  | 'other';

export type ToolContent =
  | { type: 'text'; text: string }
  | { type: 'diff'; path: string; oldText?: string; newText: string };

export interface TodoEntry {
  content: string;
  status: 'pending' | 'in_progress' | 'completed';
  priority: 'high' | 'medium' | 'low';
}

/**
 * What a person must decide. Without options, any text answers it; with `allowsText`, text answers
 * it besides the options. Ids of options are unique within the request.
 */
export interface AgentRequest {
  kind: 'question' | 'permission';
  /** 1 to 2,000 characters. */
  title: string;
  options: { id: string; name: string }[];
  allowsText: boolean;
  /** The tool call that waits for it, if there is one. */
  toolCallId?: string;
}

/** `withdrawn`: no answer will come; the agent receives a cancelled outcome. */
export type AgentAnswer = { optionId: string } | { text: string } | { withdrawn: true };

/** Why an agent could not be started, as a sentence that says what to do. */
export class AgentError extends Error {
  /**
   * `not_started`: its program could not be run, or it ended at once. `no_session`: it answers, but
   * opens no session (it may need a login). `timeout`: it does not answer. `aborted`: `signal`.
   */
  readonly code: 'not_started' | 'no_session' | 'timeout' | 'aborted';

  constructor(code: AgentError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
