export { type Answer, Call, type Result } from './call.ts';
export { type Client, createClient } from './client.ts';
export {
  type ClientErrorCode,
  type ErrorCode,
  type FieldError,
  GuildhallError,
} from './error.ts';
export type {
  ArgumentsOf,
  CodeOf,
  DataOf,
  ItemOf,
  Method,
  OperationAt,
  Upload,
} from './operation.ts';
export type { CallOptions, ClientOptions } from './options.ts';
export { List, type Page } from './pages.ts';
export { newIdempotencyKey } from './request.ts';
export type { components, operations, paths } from './schema.d.ts';
export type { StreamOptions } from './stream.ts';
