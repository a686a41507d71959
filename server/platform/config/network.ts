import { readPattern } from '../network/host-pattern.ts';
import { PURPOSES, type Purpose } from '../pods/purposes.ts';
import { oneOf, parts, type Reader } from './readers.ts';

/** How lists of hosts are read. */

const many = <Value>(
  one: (text: string) => Value | undefined,
  mustBe: string,
): Reader<Value[]> => ({
  parse: (value) => {
    const all = parts(value).map(one);
    return all.every((each) => each !== undefined) ? all : undefined;
  },
  mustBe,
});

export const hosts = many(
  readPattern,
  'hosts such as registry.example, *.example.com or cache.example:8443, separated by commas',
);

export const purposes = many<Purpose>(
  oneOf(...PURPOSES).parse,
  `some of ${PURPOSES.join(', ')}, separated by commas`,
);
