/** What the document has asked for while the scripts were on their way (`begun.ts`). */

/** The answer to this request, if it was asked for before. */
export function takeBegun({ method, url }: Request): Promise<Response | undefined> | undefined {
  const { begun } = globalThis;
  if (method !== 'GET') begun?.clear();
  const path = url.slice(location.origin.length);
  const response = begun?.get(path);
  begun?.delete(path);
  return response;
}
