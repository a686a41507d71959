import type { IncomingHttpHeaders } from 'node:http';
import type { OutgoingAnswer, OutgoingRequest } from '../../platform/outgoing/outgoing.ts';
import type { Value } from '../odoo/xml-rpc.ts';
import type { Refusal } from './refusal.ts';
import type { ErpTarget } from './target.ts';
import type { ModelCall } from './touched.ts';

/** What the gateway knows of one way to speak to Odoo. */
export interface Protocol {
  /** Where the headers show who asks: they are looked at before the body is read. */
  presentedIn?(headers: IncomingHttpHeaders): string | undefined;
  /** Throws Refusal for what is not a request of this protocol. */
  read(request: { path: string; body: string }): Asked<ModelCall>;
  /** A call as it goes to the server, made anew from what was read, without who makes it. */
  encode(call: ModelCall): string;
  request(called: Called, encoded: string, signedIn: SignedIn): Sent;
  /** Whether a user id is needed for it. */
  needsUser: boolean;
  /** The answer for the agent, without tracebacks. Throws Refusal for one that cannot be passed. */
  answer(
    answer: Pick<OutgoingAnswer, 'status' | 'headers' | 'body'>,
    asked: Asked,
    secret: string,
  ): Shown;
  /** What a call has returned; undefined if it has not. */
  result(answer: Pick<OutgoingAnswer, 'status' | 'headers' | 'body'>): Value | undefined;
  /** A value that the gateway answers itself. */
  value(value: Value, asked: Asked): Shown;
  refusal(refusal: Refusal, asked: Asked | undefined): Shown;
}

/** What an agent has sent; `presented` is what the body shows of who it is. */
export interface Asked<Call = Called> {
  what: 'version' | 'authenticate' | Call;
  presented?: string | undefined;
  /** Of JSON-RPC. */
  id?: Value;
}

export type Called = Pick<ModelCall, 'model' | 'method'>;

export interface SignedIn {
  target: ErpTarget;
  uid: number;
  database: string | undefined;
}

export type Sent = Pick<OutgoingRequest, 'headers'> & { path: string; body: string };

/** An answer for the agent. */
export interface Shown {
  status: number;
  type: string;
  body: string | Uint8Array;
}

/** Bytes of an answer that are parsed at most: of millions of small values, 16 MiB take seconds. */
export const MOST_PARSED = 1024 ** 2;

export const json = (status: number, value: unknown): Shown => ({
  status,
  type: 'application/json',
  body: JSON.stringify(value),
});
