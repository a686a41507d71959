import { serve } from '../../platform/threads/serve.ts';
import { draw } from './draw.ts';
import type { Printout } from './printer.ts';
import type { Printed } from './wording.ts';

/** Draws what the printer sends, in a thread of its own. */
serve(
  async ({ item, paper }: Printout) =>
    new Uint8Array(await draw(JSON.parse(item) as Printed, paper)),
  ({ buffer }) => [buffer as ArrayBuffer],
);
