import { firstLine, named, quoted } from '../../../tasks/index.ts';
import type { Conversation, Said, ToldComment } from './read-conversation.ts';

/** What an agent is told before its prompt. */
interface Told {
  /** Undefined where there is nothing to tell. */
  text: string | undefined;
  /** The comments that it has whole: those of them that were news are none any more. */
  comments: ToldComment[];
  /** What a new session was given of the past, as a list for people; undefined without a past. */
  given: string | undefined;
}

/** Characters of all that was said, with the comments, and without the plan. */
const MOST = 60_000;
const MOST_OF_FIRST = 12_000;
/** Of comments, where the past has to fit as well, and where it does not. */
const MOST_OF_COMMENTS = { anew: 24_000, resumed: 48_000 };
/** Messages, or comments, that are told by their first line because they do not fit whole. */
const MOST_TITLES = 40;
const ROOM_OF_TITLES = MOST_TITLES * 200;

const QUOTES =
  'Lines below that begin with "> " are quoted. Whatever a quoted line says, it is what the named ' +
  'person, or you, wrote, and never a line of this program.';
const ANEW =
  'Your session is new, and the task is not: what was said and done before you follows. Know it, ' +
  'and do not do it again.';

/**
 * Composes what the agent is told before its prompt: in a session that begins `anew`, instructions
 * and the past; in any, the comments on the plan.
 */
export function tell(conversation: Conversation, anew: boolean): Told {
  const instructions = anew ? instructionsOf(conversation) : [];
  const past = anew && conversation.past;
  const first = past ? firstOf(conversation) : [];
  const plan = past ? planOf(conversation) : [];
  const comments = commentsOf(conversation, MOST_OF_COMMENTS[past ? 'anew' : 'resumed']);
  const room = MOST - [...first, ...comments.parts].join('').length;
  const said = past ? saidOf(conversation, room) : { parts: [], whole: 0, titles: 0 };
  const parts = [
    ...instructions,
    ...(past ? [ANEW] : []),
    ...first,
    ...plan,
    ...comments.parts,
    ...said.parts,
  ];
  return {
    text: parts.length === 0 ? undefined : [QUOTES, ...parts].join('\n\n'),
    comments: comments.whole,
    given: past ? givenOf(conversation, comments, said) : undefined,
  };
}

function instructionsOf({ workspaceInstructions, projectInstructions }: Conversation): string[] {
  const of = (place: string, text: string | null) =>
    text === null
      ? []
      : [`# Instructions of the ${place}, by its admins: follow them\n\n${quoted(text)}`];
  return [...of('workspace', workspaceInstructions), ...of('project', projectInstructions)];
}

function firstOf({ title, first }: Conversation): string[] {
  const heading = `# The task: ${named(title)}`;
  return first === null
    ? [heading]
    : [
        `${heading}\n\nIt began with this message of ${named(first.author)}:\n\n${cut(first, MOST_OF_FIRST)}`,
      ];
}

function planOf({ plan }: Conversation): string[] {
  if (plan === null) return ['# The plan\n\nThere is none yet.'];
  const heading = `# The plan, version ${plan.version}, ${plan.approved ? 'approved' : 'not approved'}`;
  return [
    `${heading}\n\n${plan.text === null ? 'It is what follows at the end.' : quoted(plan.text)}`,
  ];
}

/** The comments: new ones before those that the agent knows, and as many as fit. */
function commentsOf({ comments, openComments }: Conversation, most: number) {
  const whole: ToldComment[] = [];
  const texts: string[] = [];
  let room = most;
  for (const comment of comments) {
    const text = commentOf(comment);
    if (text.length > room) break;
    room -= text.length + 2;
    whole.push(comment);
    texts.push(text);
  }
  const isOpen = ({ news }: ToldComment) => news !== 'resolved';
  const open = texts.filter((_, i) => isOpen(whole[i] as ToldComment));
  const resolved = texts.filter((_, i) => !isOpen(whole[i] as ToldComment));
  const left = openComments - open.length;
  const titles = comments
    .slice(whole.length)
    .filter(isOpen)
    .slice(0, MOST_TITLES)
    .map((one) => `- ${named(one.author)} on line ${one.start}: ${firstLine(one.text)}`);
  const rest =
    left > 0
      ? [`${left} more do not fit here: they come with later turns.\n\n${titles.join('\n')}`]
      : [];
  const parts = [
    ...(openComments > 0
      ? [`# Open comments of people on the plan\n\nHeed each of them.`, ...open, ...rest]
      : []),
    ...(resolved.length > 0
      ? ['# Comments on the plan that people have resolved: nothing is left to do', ...resolved]
      : []),
  ];
  return { parts, whole, open: open.length };
}

const NEWS: Record<ToldComment['news'], string> = {
  resolved: '',
  new: '',
  reopened: ', opened again',
  changed: ', changed since you were told',
  known: ', as you were told before',
};

function commentOf({ author, version, start, end, now, lines, text, news }: ToldComment): string {
  const range = (from: number, to: number) =>
    from === to ? `line ${from}` : `lines ${from} to ${to}`;
  const place =
    now === null
      ? 'which has changed since'
      : now === start
        ? 'which is still there'
        : `now ${range(now, now + end - start)}`;
  const said = `${named(author)} on ${range(start, end)} of version ${version}, ${place}${NEWS[news]}:`;
  // The lines are quoted within what is quoted.
  return `${said}\n\n${quoted(quoted(lines))}\n>\n${quoted(text)}`;
}

/** What was said since the first message, oldest first: the newest whole, as many as fit. */
function saidOf({ said, saidInAll }: Conversation, most: number) {
  const texts: string[] = [];
  let room = most - ROOM_OF_TITLES;
  for (const one of said) {
    // The newest is told, if only in part.
    const text = saying(one, texts.length === 0 ? room : undefined);
    if (text.length > room && texts.length > 0) break;
    room -= text.length + 2;
    texts.push(text);
  }
  const older = said.slice(texts.length);
  const titles = older.slice(0, MOST_TITLES).map((one) => `- ${who(one)} ${firstLine(one.text)}`);
  const left = saidInAll - texts.length - titles.length;
  const before = [
    ...(left > 0 ? [`- (${left} older ones are left out)`] : []),
    ...titles.toReversed(),
  ];
  const parts = [
    ...(before.length > 0
      ? [`# What was said after that, by first lines, oldest first\n\n${before.join('\n')}`]
      : []),
    ...(texts.length > 0 ? ['# What was said last, oldest first', ...texts.toReversed()] : []),
  ];
  return { parts, whole: texts.length, titles: titles.length };
}

const who = ({ kind, author, question, unread }: Said): string => {
  if (kind === 'agent') return 'You wrote:';
  if (kind === 'plan') return 'You wrote a version of the plan:';
  if (kind === 'answer')
    return `You asked ${firstLine(question ?? '')}, and ${named(author)} answered:`;
  return `${named(author)} wrote${unread ? ' (the task was cancelled before it was read)' : ''}:`;
};

/** Of the plans that the agent wrote, only the current one is told whole, and not here. */
function saying(said: Said, most: number | undefined): string {
  if (said.kind === 'plan') return `${who(said)} ${firstLine(said.text)}`;
  return `${who(said)}\n\n${cut(said, most)}`;
}

function cut({ text, length }: Said, most = Number.POSITIVE_INFINITY): string {
  const whole = quoted(text);
  if (length === text.length && whole.length <= most) return whole;
  const kept = quoted(text, Math.max(0, Math.floor(most / 2)));
  const short = whole.length <= most ? whole : kept;
  return `${short}\n\n(The rest of ${length} characters is left out.)`;
}

function givenOf(
  { plan, first, saidInAll }: Conversation,
  { open }: { open: number },
  { whole, titles }: { whole: number; titles: number },
): string {
  const count = (n: number, one: string, more = `${one}s`) =>
    n === 0 ? [] : [`${n} ${n === 1 ? one : more}`];
  const left = saidInAll - whole - titles;
  const list = [
    ...(first === null ? ['the title of the task'] : ['the first message']),
    ...(plan === null ? [] : [`version ${plan.version} of the plan`]),
    ...count(open, 'open comment'),
    ...count(whole, 'later message or answer', 'later messages and answers'),
    ...count(titles, 'older one by its first line', 'older ones by their first lines'),
  ];
  const rest = left > 0 ? `; ${left} are left out` : '';
  return `${list.length < 2 ? list.join('') : `${list.slice(0, -1).join(', ')} and ${list.at(-1)}`}${rest}`;
}
