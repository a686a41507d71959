/**
 * What a Docker engine answers by the version of its API: which one it has, and a refusal of a
 * newer one, in the words of Docker 20.10. Undefined for all other requests.
 */
export function versionAnswer(path: string, has: string): [number, unknown] | undefined {
  if (path === '/version') return [200, { ApiVersion: has, MinAPIVersion: '1.12' }];
  const asked = /^\/v1\.(\d+)\//.exec(path)?.[1];
  if (asked !== undefined && Number(asked) <= Number(has.slice(2))) return undefined;
  const message = `client version 1.${asked} is too new. Maximum supported API version is ${has}`;
  return [400, { message }];
}
