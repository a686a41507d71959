import type { Answered, Schema } from './typed.ts';

/**
 * What GitHub refuses before an endpoint is reached, whichever it is: its descriptions of the
 * single endpoints do not list these. The texts are GitHub's.
 */
export class Refusal extends Error implements Answered {
  readonly status: number;
  readonly body: Schema<'basic-error'>;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.body = errorBody(status, message);
    this.headers = headers;
  }
}

export const DOCUMENTATION = 'https://docs.github.com/rest';

export const errorBody = (status: number, message: string): Schema<'basic-error'> => ({
  message,
  documentation_url: DOCUMENTATION,
  status: String(status),
});

/** A 422 about fields of the body. */
export const invalid = (
  ...errors: NonNullable<Schema<'validation-error'>['errors']>
): Schema<'validation-error'> => ({
  message: 'Validation Failed',
  errors,
  documentation_url: DOCUMENTATION,
});

export const notFound = () => new Refusal(404, 'Not Found');
export const badCredentials = () => new Refusal(401, 'Bad credentials');
export const needsCredentials = () => new Refusal(401, 'Requires authentication');
export const suspended = () => new Refusal(403, 'This installation has been suspended');
export const archived = () => new Refusal(403, 'Repository was archived so is read-only.');
export const unreadable = () => new Refusal(400, 'Problems parsing JSON');

/** An installation lacks a permission, which the header `X-Accepted-GitHub-Permissions` names. */
export const notAccessible = () => new Refusal(403, 'Resource not accessible by integration');
