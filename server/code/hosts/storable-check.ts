import { CHECK_CONCLUSIONS } from '../repositories/check-states.ts';
import type { HostCheck } from './code-host.ts';
import { shownText } from './shown-text.ts';

/** Characters that are shown of a name, and those of an address. */
const LONGEST_NAME = 300;
const LONGEST_URL = 2_000;

/** One that the database holds: a single odd check must not hide the others. */
export function storable({ name, conclusion, url, completedAt, ...check }: HostCheck): HostCheck {
  const ended = check.state === 'completed';
  const known = CHECK_CONCLUSIONS.find((each) => each === conclusion);
  const address = url === null ? '' : shownText(url, LONGEST_URL + 1);
  return {
    ...check,
    name: shownText(name, LONGEST_NAME) || 'Unnamed',
    // What a host may come to say does not let a merge pass.
    conclusion: ended ? (known ?? 'failure') : null,
    completedAt: ended ? (completedAt ?? check.startedAt ?? new Date().toISOString()) : null,
    url: address !== '' && address.length <= LONGEST_URL ? address : null,
  };
}
