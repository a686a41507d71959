import { GuildhallError } from '@guildhall/client';

interface Sending {
  method: 'POST' | 'PUT';
  path: string;
  type: string;
  file: File;
  /** Of 1. */
  onProgress: (sent: number) => void;
}

/**
 * Sends a file with its progress, which `fetch` does not tell, and resolves with the answer; never once
 * `request` was aborted. Rejects with GuildhallError, as calls of the client do.
 */
export function sendFile(
  request: XMLHttpRequest,
  { method, path, type, file, onProgress }: Sending,
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const fail = (status: number, code: string, detail: string, more = {}) =>
      reject(new GuildhallError({ status, code, detail, method, path, ...more }));
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      const { status } = request;
      const body = parsed(request.responseText);
      const { code, detail } = body;
      if (status === 201) resolve(body);
      else if (Array.isArray(detail))
        fail(status, 'validation_error', 'Validation error', { fields: detail });
      else
        fail(
          status,
          typeof code === 'string' ? code : 'unexpected_answer',
          typeof detail === 'string'
            ? detail
            : `The server has not taken it (${status}): try again.`,
        );
    };
    request.onerror = () =>
      fail(0, 'network_error', 'It was not sent, because the network is away: try again.');
    request.open(method, path);
    request.setRequestHeader('Content-Type', type);
    request.send(file);
  });
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
