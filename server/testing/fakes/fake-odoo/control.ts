import { type Answer, json } from './answers.ts';
import type { Behaviour, FakeOdoo } from './fake.ts';

/** What can be done to the fake by hand: `curl ADDRESS/_control/behave -d '{"slow":2000}'`. */
export function control(fake: FakeOdoo, command: string, body: string): Answer {
  switch (command) {
    case 'behave':
      fake.behave(JSON.parse(body || '{}') as Behaviour);
      return json({ done: true });
    case 'requests':
      return json(fake.requests.map(({ method, path }) => ({ method, path })));
    default:
      return json({ commands: ['behave', 'requests'] }, { status: 404 });
  }
}
