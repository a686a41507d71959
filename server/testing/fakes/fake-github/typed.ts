import type { components, paths } from '@octokit/openapi-types';

/** GitHub's published description of its API, as types. */

export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
export type Path = keyof paths & string;
export type Verb = 'get' | 'post' | 'put' | 'patch';

type Responses<P extends Path, V extends Verb> = paths[P] extends {
  [Key in V]: { responses: infer R };
}
  ? R
  : never;

type Content<R> = R extends { content: { 'application/json': infer Body } } ? Body : undefined;

/** What GitHub may answer to a request: a status that it lists, with that status' body. */
export type Answer<P extends Path, V extends Verb> = {
  [Status in keyof Responses<P, V>]: {
    status: Status;
    body: Content<Responses<P, V>[Status]>;
    headers?: Record<string, string>;
  };
}[keyof Responses<P, V>];

/** What is sent. */
export interface Answered {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}
