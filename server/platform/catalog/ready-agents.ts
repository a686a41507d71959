import type { Api, Launch } from './agent-fields.ts';

/**
 * Agents that the catalog may name without describing them. Each learns from its own environment
 * variables or arguments where its model is: at the gateway, with a token that is worth nothing
 * elsewhere. What they would fetch from the network is switched off, because a pod has none.
 */

type Ready = Pick<Launch, 'command' | 'args' | 'env' | 'sessionModel' | 'confinedPlanMode'>;

const opencode = (npm: string, path: string): Ready => ({
  command: 'opencode',
  args: ['acp'],
  env: {
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      provider: {
        guildhall: {
          npm,
          name: 'Guildhall',
          models: { '{model}': { name: '{model}' } },
          options: { baseURL: `{base_url}${path}`, apiKey: '{token}' },
        },
      },
      enabled_providers: ['guildhall'],
      model: 'guildhall/{model}',
      small_model: 'guildhall/{model}',
      share: 'disabled',
      autoupdate: false,
    }),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
  },
  sessionModel: 'guildhall/{model}',
});

export const READY_AGENTS: Readonly<Record<string, Partial<Record<Api, Ready>>>> = {
  opencode: {
    openai: opencode('@ai-sdk/openai-compatible', '/v1'),
    anthropic: opencode('@ai-sdk/anthropic', '/v1'),
    gemini: opencode('@ai-sdk/google', '/v1beta'),
  },
  'claude-agent-acp': {
    anthropic: {
      command: 'claude-agent-acp',
      args: [],
      env: {
        ANTHROPIC_BASE_URL: '{base_url}',
        ANTHROPIC_AUTH_TOKEN: '{token}',
        // It asks smaller models for titles and the like: the gateway knows only the one.
        ANTHROPIC_MODEL: '{model}',
        ANTHROPIC_SMALL_FAST_MODEL: '{model}',
        ANTHROPIC_DEFAULT_HAIKU_MODEL: '{model}',
        ANTHROPIC_DEFAULT_SONNET_MODEL: '{model}',
        ANTHROPIC_DEFAULT_OPUS_MODEL: '{model}',
        CLAUDE_CODE_SUBAGENT_MODEL: '{model}',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        // After a turn, it would ask what people may write next, which nobody is shown.
        CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false',
      },
      sessionModel: '{model}',
    },
  },
  'qwen-code': {
    openai: {
      command: 'qwen',
      args: ['--acp', '--auth-type', 'openai'],
      env: {
        OPENAI_BASE_URL: '{base_url}/v1',
        OPENAI_API_KEY: '{token}',
        OPENAI_MODEL: '{model}',
        QWEN_TELEMETRY_ENABLED: 'false',
        QWEN_USAGE_STATISTICS_ENABLED: 'false',
      },
      sessionModel: undefined,
    },
  },
  gemini: {
    gemini: {
      command: 'gemini',
      args: ['--acp'],
      env: {
        GOOGLE_GEMINI_BASE_URL: '{base_url}',
        GEMINI_API_KEY: '{token}',
        GEMINI_MODEL: '{model}',
        GEMINI_TELEMETRY_ENABLED: 'false',
        // Without it, it refuses to edit: no one has told it that it may trust the work tree.
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
      },
      sessionModel: undefined,
    },
  },
  codex: {
    openai: {
      command: 'codex-acp',
      args: [],
      env: {
        OPENAI_API_KEY: '{token}',
        CODEX_CONFIG: JSON.stringify({
          model: '{model}',
          model_provider: 'guildhall',
          model_providers: {
            guildhall: {
              name: 'Guildhall',
              base_url: '{base_url}/v1',
              env_key: 'OPENAI_API_KEY',
              wire_api: 'responses',
            },
          },
        }),
        MODEL_PROVIDER: 'guildhall',
        // Its own sandbox cannot be made within that of a pod.
        INITIAL_AGENT_MODE: 'agent-full-access',
        NO_BROWSER: '1',
      },
      sessionModel: undefined,
      confinedPlanMode: 'agent-full-access',
    },
  },
};
