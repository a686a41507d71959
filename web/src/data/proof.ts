import { takeBegun } from './take-begun.ts';

/**
 * What is dangerous needs a proof of the person within ten minutes. The first request that is
 * refused for lack of one asks for it; requests that are refused meanwhile wait for the same
 * answer.
 */

/** Says a refusal in words for this person, who has given no proof. */
export type Refuse = (refused: Response) => Response | Promise<Response>;

/** Nothing if they have given one. */
type Ask = () => Promise<Refuse | undefined>;

let ask: Ask = async () => (refused) => refused;
let asking: ReturnType<Ask> | undefined;

/** The shell says how to ask. */
export function onProofNeeded(how: Ask): void {
  ask = how;
}

/** Asks for a proof before a page is left for an act that needs one: whether it was given. */
export const askForProof = async (): Promise<boolean> => !(await ask());

type Watch = (request: Request, answer: Promise<Response>) => Promise<Response>;

let watched: Watch = (_, answer) => answer;

/** The shell looks at every answer, and at requests that get none. */
export function watchAnswers(how: Watch): void {
  watched = how;
}

/** `fetch`, which asks for a proof when an answer needs one, and sends the request again. */
export async function fetchWithProof(request: Request): Promise<Response> {
  const again = request.clone();
  const response = (await takeBegun(request)) ?? (await watched(request, fetch(request)));
  if (response.status !== 403) return response;
  const { code } = (await response
    .clone()
    .json()
    .catch(() => ({}))) as { code?: string };
  if (code !== 'proof_required') return response;
  asking ??= ask().finally(() => {
    asking = undefined;
  });
  const refuse = await asking;
  return refuse ? refuse(response) : fetch(again);
}
