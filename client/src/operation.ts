/**
 * What the types of a document (`paths`, written by openapi-typescript) say about its operations.
 * Nothing of this exists when the program runs.
 */

export type Method = 'get' | 'post' | 'put' | 'delete';

/** The paths that have an operation of this method. */
export type PathsWith<Paths, M extends Method> = {
  [P in keyof Paths]: Paths[P] extends { [K in M]: { responses: unknown } } ? P : never;
}[keyof Paths] &
  string;

export type OperationAt<Paths, M extends Method, P extends keyof Paths> = Paths[P] extends {
  [K in M]: infer Operation;
}
  ? Operation
  : never;

/** What an upload may send. Streams are not sent again after a failure. */
export type Upload = Blob | ArrayBuffer | ArrayBufferView | ReadableStream<Uint8Array> | string;

type ParametersIn<Operation, Where extends string> = Operation extends { parameters: infer In }
  ? Where extends keyof In
    ? In[Where] extends infer Found | undefined
      ? Found extends object
        ? Found
        : Nothing
      : Nothing
    : Nothing
  : Nothing;

type Nothing = Record<never, never>;

type BodyOf<Content> = Content extends { 'application/json': infer Json } ? Json : Upload;

type BodyIn<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? { body: BodyOf<Content> }
  : Operation extends { requestBody?: infer Body }
    ? [Exclude<Body, undefined>] extends [never]
      ? Nothing
      : Exclude<Body, undefined> extends { content: infer Content }
        ? { body?: BodyOf<Content> }
        : Nothing
    : Nothing;

type Flat<T> = { [K in keyof T]: T[K] };

/** The parameters of the path and of the query by their names, and the body as `body`. */
export type ArgumentsOf<Operation> = Flat<
  ParametersIn<Operation, 'path'> & ParametersIn<Operation, 'query'> & BodyIn<Operation>
>;

type Answers<Operation> = Operation extends { responses: infer Responses }
  ? Omit<Responses, 'default'>[keyof Omit<Responses, 'default'>]
  : never;

/** The media types of successful answers. */
type MediaTypeOf<Operation> =
  Answers<Operation> extends infer Answer
    ? Answer extends { content: infer Content }
      ? keyof Content
      : never
    : never;

/** What a successful answer holds: JSON, or nothing. `never` for files. */
export type DataOf<Operation> =
  Answers<Operation> extends infer Answer
    ? Answer extends { content: infer Content }
      ? Content extends { 'application/json': infer Json }
        ? Json
        : never
      : undefined
    : never;

/** The errors that an operation declares. */
export type CodeOf<Operation> = Operation extends {
  responses: { default: { content: { 'application/json': { code: infer Code } } } };
}
  ? Code & string
  : string;

/** The items of a list. */
export type ItemOf<Operation> = DataOf<Operation> extends readonly (infer Item)[] ? Item : never;

/** The paths of what `get` returns: not those that are only files. */
export type JsonIn<Paths> = {
  [P in PathsWith<Paths, 'get'>]: [DataOf<OperationAt<Paths, 'get', P>>] extends [never]
    ? never
    : P;
}[PathsWith<Paths, 'get'>];

/** The paths of lists. */
export type ListsIn<Paths> = {
  [P in PathsWith<Paths, 'get'>]: [ItemOf<OperationAt<Paths, 'get', P>>] extends [never]
    ? never
    : P;
}[PathsWith<Paths, 'get'>];

/** The paths of what can be streamed. */
export type StreamsIn<Paths> = {
  [P in PathsWith<Paths, 'get'>]: 'text/event-stream' extends MediaTypeOf<
    OperationAt<Paths, 'get', P>
  >
    ? P
    : never;
}[PathsWith<Paths, 'get'>];

type Required<T> = {
  [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? never : K;
}[keyof T];

/** Does the operation need this header? */
type Needs<Operation, Header extends string> =
  Header extends Required<ParametersIn<Operation, 'header'>> ? true : false;

type OptionsOf<Operation, Options> =
  Needs<Operation, 'If-Match'> extends true ? Options & { ifMatch: string | object } : Options;

/** The arguments after the path; what may be left out is optional. */
export type Rest<Operation, Options> =
  Needs<Operation, 'If-Match'> extends true
    ? [args: ArgumentsOf<Operation>, options: OptionsOf<Operation, Options>]
    : [Required<ArgumentsOf<Operation>>] extends [never]
      ? [args?: ArgumentsOf<Operation>, options?: Options]
      : [args: ArgumentsOf<Operation>, options?: Options];
