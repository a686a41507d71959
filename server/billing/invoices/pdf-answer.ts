import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import Type from 'typebox';
import { apiError } from '../../http/errors.ts';
import { tooManyStreams } from '../../http/event-stream.ts';
import { oneOf } from '../../http/input/fields.ts';
import { etag, isCurrent } from '../../http/preconditions.ts';
import type { Answer, DeclaredAnswer } from '../../http/route.ts';
import { createTransfers } from '../../http/transfers.ts';
import { FILE_HEADERS } from '../../platform/files/file-answers.ts';
import { LAYOUT, openPrinter, type Printer } from '../pdf/printer.ts';
import type { Paper } from '../pdf/sheet.ts';

const pdfsBusy = apiError(
  503,
  'pdfs_busy',
  'Too many invoices are being drawn, or too many of yours or of this workspace: try again in a ' +
    'few seconds',
  { 'retry-after': '5' },
);

const mediaType = 'application/pdf';
const headers = ['ETag'];

/** What both operations take and answer. */
export const pdfContract = {
  query: Type.Object({
    paper: Type.Optional(
      oneOf(['a4', 'letter'], {
        description: 'The paper; by default that of the country of the customer, A4 without one.',
      }),
    ),
  }),
  sample: () => ({ query: { paper: 'a4' } }),
  responses: {
    200: { description: 'The document as PDF.', mediaType, headers },
    206: { description: 'The requested range of it.', mediaType, headers },
    304: { description: 'The caller has it: If-None-Match names its ETag.', headers },
  } satisfies Record<number, DeclaredAnswer>,
  headers: FILE_HEADERS,
  errors: [pdfsBusy, tooManyStreams],
};

/** What the descriptions of both operations say. */
export const PDF_RULES =
  'The same document always has the same bytes, unless a release changes what it looks like.';

/** How many may wait at once, and how many of them of one person, or of one workspace. */
const PLACES = { limit: 128, perUser: 32 };

/** Answers the PDF of an invoice as `theInvoice` selects it. Errors: 503 pdfs_busy. */
export type PdfAnswer = (asked: {
  item: string;
  paper: Paper | undefined;
  known: string | undefined;
  userId: string;
  /** Whose it is, if it is not the caller's own. */
  workspaceId?: string;
}) => Answer;

export function pdfAnswers(printer: Printer = openPrinter()): PdfAnswer {
  const ofPeople = createTransfers(pdfsBusy, PLACES);
  const ofWorkspaces = createTransfers(pdfsBusy, PLACES);
  return ({ item, paper: wanted, known, userId, workspaceId }) => {
    const paper = wanted ?? paperOf(item);
    const sha256 = hash('sha256', JSON.stringify([LAYOUT, process.versions.icu, paper, item]));
    if (isCurrent(known, etag(sha256))) return { status: 304, headers: { etag: etag(sha256) } };
    const draw = async (): Promise<Answer> => {
      const parties = workspaceId === undefined ? [userId] : [userId, workspaceId];
      const pdf = await printer.print({ item, paper }, parties);
      const name = pdfName(item);
      return {
        status: 200,
        headers: { 'content-disposition': `attachment; filename="${name}"` },
        file: {
          name,
          mediaType,
          sha256,
          size: pdf.length,
          open: (start, end) => Readable.from([Buffer.from(pdf.subarray(start, end + 1))]),
        },
      };
    };
    const ofWorkspace = () =>
      workspaceId === undefined ? draw() : ofWorkspaces.run(workspaceId, draw);
    return { status: 200, later: () => ofPeople.run(userId, ofWorkspace) };
  };
}

/** The name of the file: the number, in which a prefix may have slashes. */
export const pdfName = (item: string): string =>
  `${(JSON.parse(item) as { number: string }).number.replaceAll(/[^\w.-]/g, '-')}.pdf`;

/** Where paper is Letter, according to the Unicode CLDR. */
const LETTER = ['BZ', 'CA', 'CL', 'CO', 'CR', 'GT', 'MX', 'NI', 'PA', 'PH', 'PR', 'SV', 'US', 'VE'];

/** The paper of the country of the customer. */
export function paperOf(item: string): Paper {
  const { customer } = JSON.parse(item) as { customer: { country?: string } };
  return LETTER.includes(customer.country ?? '') ? 'letter' : 'a4';
}
