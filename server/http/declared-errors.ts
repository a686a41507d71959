import type { ApiErrorKind, FieldErrorKind } from './errors.ts';
import * as errors from './errors.ts';
import { isRepeatable } from './idempotency.ts';
import type { Operation } from './public-route.ts';
import { overloaded } from './server/overload.ts';
import { downloadsBusy, uploadsBusy } from './transfers.ts';

/**
 * Every error that an operation can answer with: its own and those that all routes have (ruling
 * 1.5).
 */
export function declaredErrors(route: Operation): (ApiErrorKind | FieldErrorKind)[] {
  const { notAuthenticated, invalidApiKey, rateLimited, notFound, forbidden, twoFactorRequired } =
    errors;
  const { credential } = route;
  const common: (ApiErrorKind | FieldErrorKind)[] = [rateLimited];
  if (credential !== 'none') common.unshift(notAuthenticated, invalidApiKey);
  if (route.access?.permission !== undefined) common.push(notFound, forbidden, twoFactorRequired);
  if (credential === undefined) common.push(errors.keyOutOfScope);
  else if (credential !== 'none') common.push(errors.sessionRequired);
  if (route.proof === true || credential === 'proven-session') common.push(errors.proofRequired);
  common.push(errors.notHttp, ...BEFORE_A_REQUEST);
  if (route.body !== undefined) common.push(errors.unreadableBody);
  if (route.body !== undefined || route.upload !== undefined) common.push(errors.bodyTooLarge);
  if (route.upload !== undefined) common.push(uploadsBusy);
  // What can be asked for in a range is a file.
  if (route.responses[206] !== undefined) common.push(errors.rangeNotSatisfiable, downloadsBusy);
  if (isRepeatable(route)) common.push(errors.keyReadOnly);
  if (route.method !== 'GET') common.push(errors.crossSiteRequest);
  if (isRepeatable(route)) {
    common.push(
      errors.idempotencyKeyInvalid,
      errors.idempotencyKeyReused,
      errors.idempotencyInProgress,
    );
  }
  return [...common, ...route.errors, errors.internalError, errors.databaseUnavailable, overloaded];
}

/** Answers to what never becomes a request: they have no rate limit and no request id. */
export const BEFORE_A_REQUEST = [
  errors.requestTimeout,
  errors.expectationFailed,
  errors.headersTooLarge,
] as const;

/** The statuses that an operation can answer with; the document declares all of them. */
export const declaredStatuses = (route: Operation): Set<number> =>
  new Set([
    ...Object.keys(route.responses).map(Number),
    422,
    ...declaredErrors(route).map(({ status }) => status),
  ]);
