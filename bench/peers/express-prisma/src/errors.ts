import type { ErrorRequestHandler } from 'express';
import { ZodError } from 'zod';

/** A refusal with the status it is answered with. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

// Four parameters make it Express's error handler.
export const renderError: ErrorRequestHandler = (error, _request, response, _next) => {
  if (error instanceof ZodError) response.status(422).json({ detail: error.issues });
  else if (error instanceof HttpError)
    response.status(error.status).json({ detail: error.message });
  else {
    console.error(error);
    response.status(500).json({ detail: 'Internal error' });
  }
};
