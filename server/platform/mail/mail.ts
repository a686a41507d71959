/** An address with a name for people, which may be empty. */
export interface Mailbox {
  name: string;
  address: string;
}

/** A row of the table `mail` that a worker has claimed. */
export interface QueuedMail {
  id: string;
  kind: string;
  recipient: string;
  /**
   * What the mail is about, such as an invitation, and its generation when the row was inserted.
   */
  subjectId: string;
  generation: number;
  /** This attempt is counted. */
  attempts: number;
}

/**
 * A sentence, or several: our own words, and names that users chose and that may contain anything.
 */
export type Sentence = readonly (string | { name: string })[];

/** What a mail says, as plain text: paragraphs before a link and after it. */
export interface Content {
  /** Where it goes instead of the recipient of its row. */
  to?: string;
  subject: Sentence;
  before: readonly Sentence[];
  link: { label: string; url: string };
  after: readonly Sentence[];
  attachment?: Attachment;
  /** Where mail programs end such mail with one POST (RFC 8058). */
  unsubscribe?: string;
}

/** A file that goes with a mail. */
export interface Attachment {
  name: string;
  mediaType: string;
  bytes: Uint8Array;
}

/**
 * Makes the content of one kind of mail from what its subject is now. `obsolete`: the mail has no
 * purpose any more, because its invitation was accepted, revoked or renewed, for example.
 */
type Render = (mail: QueuedMail) => Promise<Content | 'obsolete'>;

/** The content of each kind of mail. Kinds that are not named here stay in the table. */
export type Renderers = Record<string, Render>;

/** A message that is ready to be sent. */
export interface Message {
  /** The id of its row. The Message-ID is made of it, so that every attempt has the same. */
  id: string;
  from: Mailbox;
  to: string;
  subject: string;
  text: string;
  html: string;
  attachment?: Attachment;
  unsubscribe?: string;
}

/** A way to send messages. */
export interface Transport {
  /**
   * Resolves when the message was accepted. Throws a DeliveryError when it was not, or when
   * that is unknown; and whatever reason `signal` has when it is aborted.
   */
  send(message: Message, signal: AbortSignal): Promise<void>;
  /** Ends its connections, also those in use. */
  close(): void;
}

/**
 * Why a message was not accepted; `message` is the server's answer. `permanent`: another attempt
 * would get the same answer. `concerns`: whether the answer is about this message or its recipient,
 * or about the server, its login or its address, which all mail has in common.
 */
export class DeliveryError extends Error {
  readonly permanent: boolean;
  readonly concerns: 'message' | 'server';

  constructor(
    answer: string,
    { permanent, concerns }: { permanent: boolean; concerns: 'message' | 'server' },
  ) {
    super(answer);
    this.permanent = permanent;
    this.concerns = concerns;
  }
}
