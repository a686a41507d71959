import type { Api } from '../../platform/catalog/agent-fields.ts';
import { anthropic } from './anthropic.ts';
import { gemini } from './gemini.ts';
import type { ModelApi } from './model-api.ts';
import { openai } from './openai.ts';

export const MODEL_APIS: Readonly<Record<Api, ModelApi>> = { openai, anthropic, gemini };
