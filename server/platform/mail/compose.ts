import type { SendMailOptions } from 'nodemailer';
import { readEmail } from '../../http/input/readers/email.ts';
import {
  type Attachment,
  type Content,
  DeliveryError,
  type Mailbox,
  type Message,
  type QueuedMail,
  type Sentence,
} from './mail.ts';

const MAX_SUBJECT = 150;
const MAX_NAME = 80;

/**
 * Makes a message of a mail's content: as plain text, and as HTML in which everything is escaped.
 * Throws a permanent DeliveryError if the recipient is not an address.
 */
export function compose(
  { id, recipient }: Pick<QueuedMail, 'id' | 'recipient'>,
  { to: instead, subject, before, link, after, attachment, unsubscribe }: Content,
  from: Mailbox,
): Message {
  const to = readEmail(instead ?? recipient);
  // Only addresses that pass this check are stored; anything else could hold more than an address.
  if (!('value' in to))
    throw new DeliveryError('The recipient is not a valid e-mail address.', {
      permanent: true,
      concerns: 'message',
    });
  const [first, last] = [before.map(inBody), after.map(inBody)];
  return {
    id,
    from,
    to: to.value as string,
    subject: shortened(oneLine(written(subject, inSubject)), MAX_SUBJECT),
    text: `${[...first, `${link.label}:\n${link.url}`, ...last].join('\n\n')}\n`,
    html: [
      '<!doctype html>',
      '<html lang="en"><head><meta charset="utf-8"></head>',
      '<body style="font-family: sans-serif; line-height: 1.5">',
      ...first.map(paragraph),
      `<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>`,
      ...last.map(paragraph),
      '</body></html>',
      '',
    ].join('\n'),
    ...(attachment === undefined ? {} : { attachment }),
    ...(unsubscribe === undefined ? {} : { unsubscribe }),
  };
}

/** The message as nodemailer takes it. */
export function mailOptions(message: Message): SendMailOptions {
  const { id, from, to, subject, text, html, attachment, unsubscribe } = message;
  return {
    from: { name: from.name, address: from.address },
    // As an object, so that the address is not parsed again as a list.
    to: { name: '', address: to },
    envelope: { from: from.address, to: [to] },
    subject,
    text,
    html,
    date: new Date(),
    messageId: `<${id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(unsubscribe === undefined
        ? {}
        : {
            'List-Unsubscribe': `<${unsubscribe}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
    },
    ...(attachment === undefined ? {} : { attachments: [attached(attachment)] }),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

const attached = ({ name, mediaType, bytes }: Attachment) => ({
  filename: name,
  contentType: mediaType,
  content: Buffer.from(bytes),
});

const written = (sentence: Sentence, name: (text: string) => string): string =>
  sentence.map((part) => (typeof part === 'string' ? part : name(part.name))).join('');

const inSubject = (name: string): string => shortened(oneLine(name), MAX_NAME);

/**
 * In the text, an invisible space after each period and colon inside a name is meant to keep mail
 * programs from turning `prize.example` into a link, which would make our mail carry anybody's.
 */
const inBody = (sentence: Sentence): string =>
  written(sentence, (name) => inSubject(name).replaceAll(/[.:](?=[^\s.])/gu, '$&\u200b'));

/** Control characters, line separators and those that change the direction of text. */
const UNSAFE = /[\p{Cc}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu;

const oneLine = (text: string): string => text.toWellFormed().replaceAll(UNSAFE, ' ').trim();

function shortened(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}

const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`;

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] as string);
