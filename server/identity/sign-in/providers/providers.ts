import type { Config } from '../../../platform/config/config.ts';
import { githubPeople } from './github.ts';
import { oidcProvider } from './oidc.ts';
import type { Provider } from './provider.ts';

/** A provider, and who vouches for its subjects. */
export type Issuing = Provider & { issuer: string };

/** The providers of this server by their ids, in the order in which they are shown. */
export function openProviders({ oidc, github }: Config['providers']): Map<string, Issuing> {
  const all = oidc.map((each) => ({ ...oidcProvider(each), issuer: each.issuer }));
  const hub = github === undefined ? [] : [{ ...githubPeople(github), issuer: github.webUrl }];
  return new Map([...all, ...hub].map((each) => [each.id, each]));
}
