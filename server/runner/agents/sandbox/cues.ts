/**
 * Cues in a message, such as `[[ask]]` or `[[cost 0.40]]`, that make the sandbox agent do what real
 * agents do now and then. One that begins with `build:` is for the turn after the approval.
 */

export interface Cue {
  name: string;
  value: string;
}

const CUE = /\[\[(build:)?([a-z]+)(?: ([^\]\n]{1,100}))?\]\]/g;

export function cuesOf(message: string): { now: Cue[]; later: Cue[] } {
  const cues = [...message.matchAll(CUE)].map(([, later, name = '', value = '']) => ({
    later: later !== undefined,
    name,
    value,
  }));
  const pick = (later: boolean) =>
    cues.filter((cue) => cue.later === later).map(({ name, value }) => ({ name, value }));
  return { now: pick(false), later: pick(true) };
}

export const asText = ({ name, value }: Cue): string =>
  value === '' ? `[[${name}]]` : `[[${name} ${value}]]`;

export const withoutCues = (message: string): string => message.replaceAll(CUE, '').trim();
