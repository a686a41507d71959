import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hidingValues } from '../../telemetry/hide-secrets.ts';
import { hidingWork } from './hiding.ts';
import type { TurnWork } from './runner.ts';

/** What a turn shows of secrets. */

test('in a question, title, names and ids are hidden, and the agent gets the id that it has given', async () => {
  let asked: unknown;
  const refuse = () => Promise.reject(new Error('not asked for'));
  const work: TurnWork = {
    signal: new AbortController().signal,
    append: refuse,
    appendOnce: refuse,
    charge: refuse,
    reserve: refuse,
    ask: async (question) => {
      asked = question;
      return { optionId: 'use ***' };
    },
  };
  const id = 'use a secret';
  const question = {
    kind: 'question' as const,
    title: 'Send a secret?',
    options: [{ id, name: id }],
  };
  const answer = await hidingWork(work, hidingValues(['a secret'])).ask(question);
  assert.deepEqual(answer, { optionId: id });
  const options = [{ id: 'use ***', name: 'use ***' }];
  assert.deepEqual(asked, { kind: 'question', title: 'Send ***?', options });
});
