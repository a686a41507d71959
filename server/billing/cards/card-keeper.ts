/** A person who begins to save a card. */
export interface NewSetup {
  /** Our own id, so that the attempt can be recognized at the processor. */
  setupId: string;
  /** The personal account of the person, to whom the processor's customer belongs. */
  accountId: string;
  /** Only for the sandbox: the published test card to save. */
  testCard: string | undefined;
}

/**
 * What came of beginning to save a card. `clientSecret` lets a browser complete it. `unavailable`:
 * the processor did not answer as it should; nothing is saved, and it may be begun again.
 */
export type SetupBegun =
  | { kind: 'begun'; id: string; clientSecret?: string }
  | { kind: 'unavailable'; reason: string };

/** The processor's state of an attempt to save a card. */
export type SetupState =
  | { kind: 'open' }
  | { kind: 'succeeded'; token: string }
  | { kind: 'canceled' }
  | { kind: 'unknown'; reason: string };

/** What a processor says of a card. It never says the number. */
export interface CardDetails {
  /** The processor's name for the saved card. */
  token: string;
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
  /** The same for the same card, however often it is saved. */
  fingerprint: string | null;
}

/** A saved card. `gone`: it is not attached to anyone, and cannot be charged any more. */
export type CardState =
  | { kind: 'attached'; card: CardDetails; customerId: string | undefined }
  | { kind: 'gone' }
  | { kind: 'unknown'; reason: string };

/** The cards that a processor keeps. No call throws: every result is an outcome. */
export interface CardKeeper {
  begin(setup: NewSetup): Promise<SetupBegun>;
  /** The current state of an attempt, by the processor's id. */
  read(id: string): Promise<SetupState>;
  /** Ends an attempt that was not completed, and returns its state. */
  cancel(id: string): Promise<SetupState>;
  /** The current state of a card, by the processor's name for it. */
  card(token: string): Promise<CardState>;
  /** Removes a card, which then cannot be charged; true once it is certainly removed. */
  detach(token: string): Promise<boolean>;
}
