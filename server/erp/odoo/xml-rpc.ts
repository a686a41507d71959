import { type Element, escapeXml, parseXml, XmlError } from './xml.ts';

/** What XML-RPC and JSON have in common. Dates and bytes of XML-RPC are strings here. */
export type Value = null | boolean | number | string | Value[] | { [name: string]: Value };

export interface Call {
  method: string;
  params: Value[];
}

/** The text of a fault may be a whole traceback: it is for comparing, not for showing. */
export type Answered = { value: Value } | { fault: { code: Value; text: string } };

/** `more`: further parameters that are encoded already. */
export const encodeCall = (method: string, params: readonly Value[], more = ''): string =>
  `<?xml version="1.0"?><methodCall><methodName>${escapeXml(method)}</methodName><params>` +
  `${encodeParams(params)}${more}</params></methodCall>`;

export const encodeParams = (params: readonly Value[]): string =>
  params.map((value) => `<param>${encoded(value)}</param>`).join('');

export const encodeAnswer = (value: Value): string =>
  `${OPENED}<params><param>${encoded(value)}</param></params></methodResponse>`;

export const encodeFault = (code: number | string, text: string): string =>
  `${OPENED}<fault>${encoded({ faultCode: code, faultString: text })}</fault></methodResponse>`;

const OPENED = '<?xml version="1.0"?><methodResponse>';

/** @throws XmlError if it is not a call. */
export function decodeCall(xml: string): Call {
  const root = parseXml(xml);
  const [name, params] = root.children;
  if (root.name !== 'methodCall' || name?.name !== 'methodName') throw notRpc();
  return { method: name.text.trim(), params: parameters(params) };
}

/** @throws XmlError if it is not an answer. */
export function decodeAnswer(xml: string): Answered {
  const root = parseXml(xml);
  const [content] = root.children;
  if (root.name !== 'methodResponse' || content === undefined) throw notRpc();
  if (content.name !== 'fault') {
    const [value] = parameters(content);
    if (value === undefined) throw notRpc();
    return { value };
  }
  const fault = decoded(only(content, 'value'));
  if (fault === null || typeof fault !== 'object' || Array.isArray(fault)) throw notRpc();
  const { faultCode = null, faultString } = fault;
  return { fault: { code: faultCode, text: String(faultString ?? '') } };
}

const notRpc = () => new XmlError('The document is not XML-RPC.');

function parameters(params: Element | undefined): Value[] {
  if (params === undefined) return [];
  if (params.name !== 'params') throw notRpc();
  return params.children.map((param) => decoded(only(param, 'value')));
}

function only(parent: Element, name: string): Element {
  const [child] = parent.children;
  if (child?.name !== name || parent.children.length !== 1) throw notRpc();
  return child;
}

function encoded(value: Value): string {
  return `<value>${content(value)}</value>`;
}

function content(value: Value): string {
  if (value === null) return '<nil/>';
  if (typeof value === 'boolean') return `<boolean>${value ? 1 : 0}</boolean>`;
  if (typeof value === 'string') return `<string>${escapeXml(value)}</string>`;
  if (typeof value === 'number')
    return (value | 0) === value ? `<int>${value}</int>` : `<double>${value}</double>`;
  if (Array.isArray(value)) return `<array><data>${value.map(encoded).join('')}</data></array>`;
  const members = Object.entries(value).map(
    ([name, of]) => `<member><name>${escapeXml(name)}</name>${encoded(of)}</member>`,
  );
  return `<struct>${members.join('')}</struct>`;
}

function decoded({ children, text }: Element): Value {
  const [typed] = children;
  if (typed === undefined) return text;
  const read = TYPES[typed.name];
  if (read === undefined || children.length !== 1) throw notRpc();
  return read(typed);
}

const number = ({ text }: Element): number => {
  const value = Number(text.trim() || Number.NaN);
  if (!Number.isFinite(value)) throw notRpc();
  return value;
};

const text = (element: Element): string => element.text;

const TYPES: Record<string, (element: Element) => Value> = {
  __proto__: null as never,
  nil: () => null,
  boolean: (element) => element.text.trim() === '1',
  int: number,
  i4: number,
  i8: number,
  double: number,
  string: text,
  'dateTime.iso8601': text,
  base64: text,
  array: (element) => only(element, 'data').children.map(decoded),
  // `fromEntries` makes a property of its own of any name.
  struct: ({ children }) =>
    Object.fromEntries(
      children.map(({ children: [name, value] }) => {
        if (name?.name !== 'name' || value?.name !== 'value') throw notRpc();
        return [name.text, decoded(value)];
      }),
    ),
};
