import { type Failure, type FieldError, GuildhallError } from './error.ts';

/** What an error is about. */
interface Asked {
  method: string;
  path: string;
}

/** The error that an answer is. Reads its body, which may not be Guildhall's. */
export async function errorOf(response: Response, asked: Asked): Promise<GuildhallError> {
  const text = await response.text();
  return new GuildhallError({
    ...asked,
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: retryAfterOf(response.headers),
    ...described(response, text),
  });
}

function described(
  { status }: Response,
  text: string,
): Pick<Failure, 'code' | 'detail' | 'fields' | 'body'> {
  const body = parsed(text);
  if (typeof body?.detail === 'string' && typeof body.code === 'string')
    return { code: body.code, detail: body.detail, body };
  if (status === 422 && Array.isArray(body?.detail)) {
    const fields = body.detail as FieldError[];
    const detail = fields.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
    return { code: 'validation_error', detail, fields, body };
  }
  return { code: 'unexpected_answer', detail: strange(status), ...(body && { body }) };
}

const strange = (status: number) =>
  `The answer ${status} is not one of Guildhall: is a proxy between?`;

/** A successful answer of something else, such as the page of a captive portal. */
export const notOurs = ({ status, headers }: Response, asked: Asked): GuildhallError =>
  new GuildhallError({
    ...asked,
    status,
    code: 'unexpected_answer',
    detail: strange(status),
    requestId: headers.get('x-request-id') ?? undefined,
  });

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? { ...body } : undefined;
  } catch {
    return undefined;
  }
}

/** `Retry-After` in milliseconds: seconds, or a date, which proxies send. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

/** No answer: the network, or the time-out of this client. */
export function noAnswer(cause: unknown, asked: Asked, timedOutAfter?: number): GuildhallError {
  const [code, detail] =
    timedOutAfter === undefined
      ? ['network_error', 'There was no answer: check the connection and the address']
      : ['timeout', `There was no answer within ${timedOutAfter / 1000} s`];
  return new GuildhallError({ ...asked, status: 0, code, detail, cause });
}
