/** Why a request is not answered by the provider; the gateway says it in the provider's words. */
export class Refusal extends Error {
  readonly status: number;
  /** Whether the same request may succeed later. */
  readonly again: boolean;

  constructor(status: number, message: string, again = false) {
    super(message);
    this.status = status;
    this.again = again;
  }
}
