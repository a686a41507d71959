import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { instructions, read } from './files.ts';

/** Of https://www.apache.org/licenses/LICENSE-2.0.txt, byte for byte. */
const STANDARD_TEXT = 'cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30';

test('LICENSE is the unmodified text of the Apache License 2.0', () => {
  assert.equal(createHash('sha256').update(read('LICENSE')).digest('hex'), STANDARD_TEXT);
});

test('package, lock file, API document, image and README name the licence', () => {
  assert.equal(JSON.parse(read('package.json')).license, 'Apache-2.0');
  assert.equal(JSON.parse(read('package-lock.json')).packages[''].license, 'Apache-2.0');
  assert.equal(JSON.parse(read('openapi.json')).info.license.identifier, 'Apache-2.0');
  const labels = instructions().filter(({ name }) => name === 'LABEL');
  assert.ok(
    labels.some(({ text }) => text.includes('org.opencontainers.image.licenses=Apache-2.0')),
  );
  assert.match(read('README.md'), /^## Licence\n\n.*\[Apache License 2\.0\]\(LICENSE\)/m);
});

test('an image holds the licence beside the program', () => {
  const copied = instructions().filter(({ name }) => name === 'COPY');
  assert.ok(copied.some(({ text }) => text.split(' ').includes('LICENSE')));
});
