import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  visit,
} from 'yaml';
import { nameFault } from '../../http/input/names.ts';
import {
  type EnvironmentFields,
  FILE_PATH,
  IMAGE_ID,
  MOST_CACHE,
  MOST_CACHE_PATH,
  MOST_IMAGE_ID,
  MOST_SETUP,
  MOST_SETUP_MINUTES,
} from './environment-fields.ts';
import {
  ADDONS_PATH,
  MODULE_NAME,
  MOST_ADDONS,
  MOST_MODULES,
  type OdooFields,
  TEST_TAGS,
} from './odoo-fields.ts';

/** What is done with a commit. */
export interface BuildFile {
  /** In the order in which they run. */
  checks: BuildCheck[];
  /** Commands for the shell. A stage without one is left out. */
  deploy: Partial<Record<Stage, string>>;
  /** Left out where the file says nothing of it. */
  environment?: EnvironmentFields;
  /** Left out where the file says nothing of it. */
  odoo?: OdooFields;
}

export interface BuildCheck {
  /** Unique in its file. */
  name: string;
  /** A command for the shell. */
  run: string;
  timeoutMinutes: number;
}

export type Stage = (typeof STAGES)[number];

/** Why a file cannot be used, as a sentence for people, with its line. */
export interface BuildFileFault {
  fault: string;
}

const STAGES = ['staging', 'production'] as const;
const MOST_CHECKS = 20;
const MOST_NAME = 100;
const MOST_COMMAND = 4_000;
const MOST_MINUTES = 60;
const DEFAULT_MINUTES = 10;

/**
 * Reads a build file. Whatever is not known is refused: a typing mistake must not be a check that
 * never runs. So are keys that occur twice, tags, and anchors and aliases, which can make a
 * small file a large one.
 */
export function parseBuildFile(text: string): BuildFile | BuildFileFault {
  const lines = new LineCounter();
  // Its own search for keys that occur twice takes the square of their number.
  const options = { uniqueKeys: false, merge: false, prettyErrors: false, schema: 'core' } as const;
  const document = parseDocument(text, { ...options, lineCounter: lines });
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line);
  try {
    const [wrong] = [...document.errors, ...document.warnings];
    if (wrong?.code === 'MULTIPLE_DOCS')
      throw new Fault(wrong.pos[0], 'the file must be one document');
    if (wrong !== undefined) throw new Fault(wrong.pos[0], inOneLine(wrong.message));
    if (document.directives.yaml.explicit && document.directives.yaml.version !== '1.2')
      throw new Fault(0, 'it must be YAML 1.2');
    refuseOddNodes(document.contents);
    return fileIn(document.contents);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { fault: `Line ${lineAt(error.offset)}: ${error.message}.` };
  }
}

/** `offset`: where in the text. */
class Fault extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

const inOneLine = (message: string) => message.replaceAll(/\s+/g, ' ').slice(0, 300);

function refuseOddNodes(root: ParsedNode | null): void {
  visit(root, {
    Node: (_, node: Node) => {
      if (isAlias(node) || node.anchor !== undefined)
        throw new Fault(offsetOf(node), 'anchors and aliases are not allowed');
      if (node.tag !== undefined) throw new Fault(offsetOf(node), 'tags are not allowed');
    },
  });
}

type Value = Node | null | undefined;

const offsetOf = (node: Value, otherwise = 0): number => node?.range?.[0] ?? otherwise;

function fileIn(root: Value): BuildFile {
  if (isNothing(root)) return { checks: [], deploy: {} };
  const allowed = ['checks', 'deploy', 'environment', 'odoo'] as const;
  const { checks, deploy, environment, odoo } = fieldsOf(root, 'the file', allowed);
  return {
    checks: checks === undefined ? [] : checksIn(checks),
    deploy: deploy === undefined ? {} : deployIn(deploy),
    ...(environment === undefined ? {} : { environment: environmentIn(environment) }),
    ...(odoo === undefined ? {} : { odoo: odooIn(odoo) }),
  };
}

const isNothing = (node: Value) => node == null || (isScalar(node) && node.value === null);

interface Field {
  /** Of its key. */
  offset: number;
  node: Value;
}

/** The fields of a mapping. */
function fieldsOf<Name extends string>(
  node: Value,
  what: string,
  allowed: readonly Name[],
  within = 0,
): Partial<Record<Name, Field>> {
  if (!isMap(node))
    throw new Fault(offsetOf(node, within), `${what} must have ${listOf(allowed)} as its keys`);
  const fields: Partial<Record<Name, Field>> = {};
  for (const { key, value } of node.items as { key: Value; value: Value }[]) {
    const offset = offsetOf(key, offsetOf(node));
    const name = allowed.find((each) => isScalar(key) && key.value === each);
    if (name === undefined)
      throw new Fault(offset, `${what} has ${shown(key)}: its keys must be ${listOf(allowed)}`);
    if (fields[name] !== undefined) throw new Fault(offset, `${what} has "${name}" twice`);
    fields[name] = { offset, node: value };
  }
  return fields;
}

const listOf = (names: readonly string[]) =>
  names.map((name, index) => `${index === names.length - 1 ? 'or ' : ''}"${name}"`).join(', ');

const shown = (key: Value): string =>
  isScalar(key) ? `an unknown key ${JSON.stringify(String(key.value).slice(0, 50))}` : 'an odd key';

function checksIn({ offset, node }: Field): BuildCheck[] {
  if (!isSeq(node)) throw new Fault(offset, '"checks" must be a list');
  if (node.items.length > MOST_CHECKS)
    throw new Fault(offset, `"checks" has ${node.items.length}: at most ${MOST_CHECKS} may be`);
  const checks: BuildCheck[] = [];
  for (const item of node.items as Value[]) {
    const check = checkIn(item, offset);
    if (checks.some(({ name }) => name === check.name))
      throw new Fault(offsetOf(item, offset), `another check has the name "${check.name}", too`);
    checks.push(check);
  }
  return checks;
}

function checkIn(item: Value, within: number): BuildCheck {
  const fields = fieldsOf(item, 'a check', ['name', 'run', 'timeout_minutes'], within);
  const missing = (['name', 'run'] as const).find((each) => fields[each] === undefined);
  const { name, run, timeout_minutes: timeout } = fields;
  if (name === undefined || run === undefined)
    throw new Fault(offsetOf(item, within), `a check must have "${missing}"`);
  return {
    name: nameIn(name),
    run: commandIn(run, '"run"'),
    timeoutMinutes:
      timeout === undefined ? DEFAULT_MINUTES : minutesIn(timeout, 'timeout_minutes', MOST_MINUTES),
  };
}

function nameIn(field: Field): string {
  const name = textIn(field, '"name"', MOST_NAME).normalize('NFC');
  const fault = nameFault(name);
  if (fault !== undefined) throw new Fault(field.offset, `"name" ${fault.advice}`);
  return name;
}

function minutesIn({ offset, node }: Field, name: string, most: number): number {
  const value = isScalar(node) ? node.value : undefined;
  if (!Number.isInteger(value) || Number(value) < 1 || Number(value) > most)
    throw new Fault(offset, `"${name}" must be a whole number from 1 to ${most}`);
  return Number(value);
}

function deployIn(field: Field): BuildFile['deploy'] {
  const fields = fieldsOf(field.node, '"deploy"', STAGES, field.offset);
  const deploy: BuildFile['deploy'] = {};
  for (const stage of STAGES) {
    const command = fields[stage];
    if (command !== undefined) deploy[stage] = commandIn(command, `"${stage}"`);
  }
  return deploy;
}

function environmentIn(field: Field): EnvironmentFields {
  const allowed = ['image', 'setup', 'setup_timeout_minutes', 'cache'] as const;
  const fields = fieldsOf(field.node, '"environment"', allowed, field.offset);
  const { image, setup, setup_timeout_minutes: minutes, cache } = fields;
  return {
    ...(image === undefined ? {} : { image: imageIn(image) }),
    ...(setup === undefined ? {} : { setup: textIn(setup, '"setup"', MOST_SETUP, 'kept') }),
    ...(minutes === undefined
      ? {}
      : {
          setupTimeoutMinutes: minutesIn(minutes, 'setup_timeout_minutes', MOST_SETUP_MINUTES),
        }),
    ...(cache === undefined ? {} : { cache: cacheIn(cache) }),
  };
}

function imageIn(field: Field): string {
  const image = textIn(field, '"image"', MOST_IMAGE_ID);
  if (!new RegExp(IMAGE_ID).test(image))
    throw new Fault(field.offset, '"image" must be the id of an image that the server offers');
  return image;
}

const INSIDE = 'must be a path inside the repository, without ".."';
const CACHE: ListOf = {
  pattern: FILE_PATH,
  most: MOST_CACHE,
  longest: MOST_CACHE_PATH,
  things: 'files',
  must: INSIDE,
};

const cacheIn = (field: Field): string[] => textsIn(field, '"cache"', 'a file of "cache"', CACHE);

function odooIn(field: Field): OdooFields {
  const allowed = ['addons', 'modules', 'demo', 'test_tags'] as const;
  const {
    addons,
    modules,
    demo,
    test_tags: tags,
  } = fieldsOf(field.node, '"odoo"', allowed, field.offset);
  return {
    ...(addons && { addons: textsIn(addons, '"addons"', 'a folder of "addons"', ADDONS) }),
    ...(modules && { modules: textsIn(modules, '"modules"', 'a module of "modules"', MODULES) }),
    ...(demo && { demo: yesOrNoIn(demo, '"demo"') }),
    ...(tags && { testTags: tagsIn(tags) }),
  };
}

const ADDONS: ListOf = {
  pattern: ADDONS_PATH,
  most: MOST_ADDONS,
  longest: 200,
  things: 'folders',
  must: 'must be a path inside the repository, of letters, digits, ".", "-" and "_"',
};
const MODULES: ListOf = {
  pattern: MODULE_NAME,
  most: MOST_MODULES,
  longest: 100,
  things: 'modules',
  must: 'must be the name of a module: letters, digits and "_"',
};

function tagsIn(field: Field): string {
  const tags = textIn(field, '"test_tags"', 500);
  if (!new RegExp(TEST_TAGS).test(tags))
    throw new Fault(
      field.offset,
      '"test_tags" must be as --test-tags of Odoo, such as "/my_module"',
    );
  return tags;
}

function yesOrNoIn({ offset, node }: Field, what: string): boolean {
  const value = isScalar(node) ? node.value : undefined;
  if (typeof value !== 'boolean') throw new Fault(offset, `${what} must be true or false`);
  return value;
}

interface ListOf {
  pattern: string;
  most: number;
  longest: number;
  things: string;
  /** What one must be. */
  must: string;
}

function textsIn({ offset, node }: Field, what: string, one: string, of: ListOf): string[] {
  const { pattern, most, longest, must } = of;
  if (!isSeq(node)) throw new Fault(offset, `${what} must be a list of ${of.things}`);
  if (node.items.length > most)
    throw new Fault(
      offset,
      `${what} has ${node.items.length} ${of.things}: at most ${most} may be`,
    );
  return (node.items as Value[]).map((item) => {
    const at = offsetOf(item, offset);
    const text = textIn({ offset: at, node: item }, one, longest, 'kept');
    if (!new RegExp(pattern, 'u').test(text)) throw new Fault(at, `${one} ${must}`);
    return text;
  });
}

const commandIn = (field: Field, what: string): string => textIn(field, what, MOST_COMMAND, 'kept');

/** A text that is not empty; without what surrounds it unless `kept`. */
function textIn({ offset, node }: Field, what: string, most: number, kept?: 'kept'): string {
  const value = isScalar(node) ? node.value : undefined;
  if (typeof value !== 'string')
    throw new Fault(offset, `${what} must be a text: write it in quotes`);
  const text = kept ? value : value.trim();
  if (text.trim() === '') throw new Fault(offset, `${what} must not be empty`);
  if (text.includes('\0') || !text.isWellFormed())
    throw new Fault(offset, `${what} must be text without U+0000 and lone surrogates`);
  if (Array.from(text).length > most)
    throw new Fault(offset, `${what} must have at most ${most} characters`);
  return text;
}
