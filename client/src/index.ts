export { type Answer, Call, type Result } from './call.ts';
export { type CallOptions, type Client, type ClientOptions, createClient } from './client.ts';
export {
  type ClientErrorCode,
  type ErrorCode,
  type FieldError,
  GuildhallError,
} from './error.ts';
export type { ArgumentsOf, CodeOf, DataOf, Method, OperationAt, Upload } from './operation.ts';
export type { components, operations, paths } from './schema.d.ts';
