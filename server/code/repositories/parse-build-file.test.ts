import assert from 'node:assert/strict';
import { test } from 'node:test';
import { threadMs } from '../../testing/harness/thread-time.ts';
import { parseBuildFile } from './parse-build-file.ts';

const NOTHING = { checks: [], deploy: {} };
const check = (fields: string) => `checks:\n  - ${fields.replaceAll('\n', '\n    ')}\n`;
const checks = (text: string) => {
  const found = parseBuildFile(text);
  assert.ok('checks' in found, JSON.stringify(found));
  return found.checks;
};
const faultOf = (text: string) => {
  const found = parseBuildFile(text);
  assert.ok('fault' in found, JSON.stringify(found));
  return found.fault;
};

test('every field of the file is read', () => {
  const text = `# How we check
checks:
  - name: tests
    run: npm test
  - {name: 'Lint & format 👩‍💻', run: "npm run lint", timeout_minutes: 60}
  - name: script
    run: |
      set -e
      make
    timeout_minutes: 1
deploy:
  production: ./deploy.sh production
  staging: ./deploy.sh staging
`;
  assert.deepEqual(parseBuildFile(text), {
    checks: [
      { name: 'tests', run: 'npm test', timeoutMinutes: 10 },
      { name: 'Lint & format 👩‍💻', run: 'npm run lint', timeoutMinutes: 60 },
      { name: 'script', run: 'set -e\nmake\n', timeoutMinutes: 1 },
    ],
    deploy: { staging: './deploy.sh staging', production: './deploy.sh production' },
  });
});

test('line ends of Windows, a byte order mark and JSON are YAML, too', () => {
  const expected = [{ name: 'a', run: 'b', timeoutMinutes: 10 }];
  assert.deepEqual(checks('\ufeffchecks:\r\n  - name: a\r\n    run: b\r\n'), expected);
  assert.deepEqual(checks('{"checks": [{"name": "a", "run": "b"}]}'), expected);
  assert.deepEqual(checks('%YAML 1.2\n---\nchecks: [{name: a, run: b}]\n'), expected);
});

test('an empty file has nothing to do', () => {
  for (const text of ['', '\n\n', '# nothing yet\n', '---\n', 'null', '{}', 'checks: []'])
    assert.deepEqual(parseBuildFile(text), NOTHING, JSON.stringify(text));
});

test('unknown keys are refused with their line', () => {
  assert.match(
    faultOf('check:\n  - name: a\n'),
    /^Line 1: the file has an unknown key "check": its keys must be "checks", "deploy", "environment", or "odoo"\.$/,
  );
  assert.match(faultOf(check('name: a\nrun: b\ntimeout: 3')), /^Line 4: .* "timeout"/);
  assert.match(faultOf('deploy:\n  prod: x\n'), /^Line 2: "deploy" has an unknown key "prod"/);
  assert.match(faultOf('? [a]\n: b\n'), /^Line 1: the file has an odd key/);
  for (const key of ['__proto__', 'constructor', '1', 'true', 'null', '""'])
    assert.match(faultOf(`${key}: 1\n`), /an unknown key/, key);
});

test('keys that occur twice are refused', () => {
  assert.match(
    faultOf('checks: []\ndeploy: {}\nchecks: []\n'),
    /^Line 3: the file has "checks" twice/,
  );
  assert.match(faultOf(check('name: a\nrun: b\nrun: c')), /^Line 4: a check has "run" twice/);
  assert.match(faultOf('deploy: {staging: a, "staging": b}'), /"deploy" has "staging" twice/);
});

test('anchors, aliases and merges are refused, used or not', () => {
  const laughs = ['checks:', '  - &a {name: x, run: y}', '  - &b [*a, *a, *a]', '  - *b'];
  const all = [laughs.join('\n'), 'checks: &a []', '&a deploy: {}', 'a: &x {}\nb:\n  <<: *x\n'];
  all.push(check('name: &n a\nrun: *n'), 'checks: &loop [*loop]');
  for (const text of all) assert.match(faultOf(text), /anchors and aliases are not allowed/, text);
  assert.match(faultOf('<<: {checks: []}'), /unknown key "<<"/);
  assert.match(faultOf('checks: *none\n'), /^Line 1: /);
});

test('what is no YAML is refused with its line', () => {
  const cases: [string, RegExp][] = [
    ['checks:\n\t- name: a\n', /^Line 2: .*[Tt]ab/],
    ['checks: [\n', /^Line \d: /],
    ['checks: "a\n', /^Line \d: /],
    ['checks: []\n---\nchecks: []\n', /^Line 2: the file must be one document\.$/],
    ['checks: !!js/function "x"\n', /^Line 1: /],
    ['!!set {a, b}', /^Line 1: /],
    ['checks: !!seq []', /^Line 1: tags are not allowed\.$/],
    ['deploy: {staging: !!str 1}', /^Line 1: tags are not allowed\.$/],
    ['%YAML 1.1\n---\nchecks: []\n', /^Line 1: it must be YAML 1\.2\.$/],
    ['%TAG ! tag:x,2000:\n---\nchecks: !a []\n', /^Line \d: /],
    ['\0', /^Line 1: /],
    ['checks:\n  - name: a\n    run: a: b\n', /^Line 3: /],
  ];
  for (const [text, expected] of cases) assert.match(faultOf(text), expected, text);
});

test('values of another type are refused', () => {
  for (const value of ['1', 'a', '{}', 'null', '', 'true'])
    assert.match(faultOf(`checks: ${value}\n`), /^Line 1: "checks" must be a list\.$/, value);
  for (const value of ['1', '[]', '[a]', 'null', 'a'])
    assert.match(faultOf(`checks: [${value}]\n`), /^Line 1: a check must have "name"/, value);
  for (const value of ['1', 'true', 'null', '[a]', '{a: b}', '1.5', '0x1', '']) {
    assert.match(faultOf(check(`name: ${value}\nrun: b`)), /"name" must be a text/, value);
    assert.match(faultOf(check(`name: a\nrun: ${value}`)), /"run" must be a text/, value);
    assert.match(faultOf(`deploy: {staging: ${value}}`), /"staging" must be a text/, value);
  }
  for (const value of ['0', '61', '1.5', '-1', '"5"', 'x', '1e9', '.inf', '.nan', 'null', '[1]'])
    assert.match(
      faultOf(check(`name: a\nrun: b\ntimeout_minutes: ${value}`)),
      /^Line 4: "timeout_minutes" must be a whole number from 1 to 60\.$/,
      value,
    );
  for (const value of ['1', 'a', '[]', 'null'])
    assert.match(faultOf(`deploy: ${value}`), /^Line 1: "deploy" must have/, value);
  for (const text of ['1', 'a', '[]', '- a', 'true', '"x"'])
    assert.match(
      faultOf(text),
      /^Line 1: the file must have "checks", "deploy", "environment", or "odoo" as its keys/,
    );
});

test('a check needs a name and a command', () => {
  assert.match(faultOf(check('name: a')), /^Line 2: a check must have "run"\.$/);
  assert.match(faultOf(check('run: a')), /a check must have "name"\.$/);
  for (const empty of ['""', '" "', "' \t'"]) {
    assert.match(faultOf(check(`name: ${empty}\nrun: b`)), /"name" must not be empty/);
    assert.match(faultOf(check(`name: a\nrun: ${empty}`)), /"run" must not be empty/);
  }
});

test('names are printable, at most 100 characters, and unique', () => {
  const named = (name: string) => check(`name: ${JSON.stringify(name)}\nrun: b`);
  assert.equal(checks(named(` ${'é'.repeat(100)} `))[0]?.name, 'é'.repeat(100));
  assert.equal(checks(named('😀'.repeat(100))).length, 1);
  assert.match(faultOf(named('x'.repeat(101))), /"name" must have at most 100 characters/);
  for (const odd of ['a\nb', 'a\tb', 'a\u0007', '\u001b[31mred', 'a\u202eb', 'a\u2028b', '\u200b'])
    assert.match(faultOf(named(odd)), /^Line 2: "name" must/, JSON.stringify(odd));
  for (const odd of ['"\\0"', '"\\ud800"', '"a\\x00b"'])
    assert.match(faultOf(check(`name: ${odd}\nrun: b`)), /^Line \d: /, odd);
  const twice = 'checks:\n  - {name: a, run: b}\n  - {name: " a", run: c}\n';
  assert.match(faultOf(twice), /^Line 3: another check has the name "a", too\.$/);
  const composed = 'checks: [{name: "\u00e9", run: b}, {name: "e\u0301", run: c}]';
  assert.match(faultOf(composed), /another check has the name/);
});

test('commands have at most 4,000 characters, and no NUL', () => {
  const run = (text: string) => check(`name: a\nrun: ${JSON.stringify(text)}`);
  assert.equal(checks(run('😀'.repeat(4_000)))[0]?.run.length, 8_000);
  assert.match(faultOf(run('x'.repeat(4_001))), /"run" must have at most 4000 characters/);
  assert.match(faultOf(run('a\0b')), /"run" must be text without U\+0000/);
  assert.match(faultOf(check('name: a\nrun: "\\ud800"')), /"run" must be text/);
  assert.match(faultOf(`deploy: {staging: "${'x'.repeat(4_001)}"}`), /at most 4000 characters/);
});

test('20 checks are read, and 21 are refused', () => {
  const many = (count: number) =>
    `checks:\n${Array.from({ length: count }, (_, at) => `  - {name: c${at}, run: a}\n`).join('')}`;
  assert.equal(checks(many(20)).length, 20);
  assert.match(faultOf(many(21)), /^Line 1: "checks" has 21: at most 20 may be\.$/);
});

test('no file of 64 KiB takes long, however it is made', () => {
  const of = (part: string) => part.repeat(Math.floor(65_536 / part.length));
  const keys = Array.from({ length: 10_000 }, (_, at) => `${at.toString(36)}:\n`).join('');
  const hostile = ['[', '{', '- ', '? ', ': ', 'a: ', '!a ', '&a ', '%a\n', '---\n', '\n', '\t\n'];
  const texts = [...hostile.map(of), `[${of(',')}`, `[${of('a,')}`, `{${of('a,')}`, keys];
  for (const text of texts) {
    const begun = threadMs();
    parseBuildFile(text.slice(0, 65_536));
    const took = threadMs() - begun;
    assert.ok(took < 5_000, `${JSON.stringify(text.slice(0, 10))} took ${took} ms`);
  }
});

const environment = (text: string) => `environment:\n${text.replaceAll(/^/gm, '  ')}\n`;

test('an environment has an image, a setup with its time, and files', () => {
  const all =
    'image: node-22\nsetup: npm ci\nsetup_timeout_minutes: 60\ncache: [package-lock.json, a/.b c/é]';
  assert.deepEqual(parseBuildFile(environment(all)), {
    checks: [],
    deploy: {},
    environment: {
      image: 'node-22',
      setup: 'npm ci',
      setupTimeoutMinutes: 60,
      cache: ['package-lock.json', 'a/.b c/é'],
    },
  });
  assert.deepEqual(parseBuildFile('environment: {}'), { checks: [], deploy: {}, environment: {} });
});

test('an environment with anything else is refused with its line', () => {
  const cases: [string, RegExp][] = [
    ['setup: a\nsetups: b', /^Line 3: "environment" has an unknown key "setups"/],
    ['setup: a\nsetup: b', /^Line 3: "environment" has "setup" twice/],
    ['setup: [a]', /^Line 2: "setup" must be a text/],
    ['setup: ""', /^Line 2: "setup" must not be empty/],
    [`setup: ${'a'.repeat(4_001)}`, /^Line 2: "setup" must have at most 4000 characters/],
    ['setup_timeout_minutes: 61', /^Line 2: "setup_timeout_minutes" must be .* from 1 to 60/],
    ['setup_timeout_minutes: 0', /^Line 2: "setup_timeout_minutes" must be/],
    ['image: "a b"', /^Line 2: "image" must be the id of an image/],
    ['cache: a', /^Line 2: "cache" must be a list of files/],
    ['cache: [1]', /^Line 2: a file of "cache" must be a text/],
    [`cache: [${'a, '.repeat(21)}]`, /^Line 2: "cache" has 21 files: at most 20/],
    [`cache: [${'a'.repeat(201)}]`, /^Line 2: a file of "cache" must have at most 200/],
  ];
  for (const path of ['/a', '../a', 'a/../b', 'a/..', './a', '.', 'a//b', 'a/', '"a\\nb"'])
    cases.push([`cache:\n- ok\n- ${path}`, /^Line 4: a file of "cache" must be a path inside/]);
  cases.push(['cache: ["a\\0"]', /^Line 2: a file of "cache" must be text without U\+0000/]);
  for (const [text, expected] of cases) assert.match(faultOf(environment(text)), expected, text);
  assert.match(faultOf('environment: []'), /^Line 1: "environment" must have "image"/);
});

test('what is said of Odoo modules is read', () => {
  const odoo =
    'addons: [addons, oca/web, .]\n  modules: [books, sale]\n  demo: true\n  test_tags: /books';
  assert.deepEqual(parseBuildFile(`odoo:\n  ${odoo}`), {
    checks: [],
    deploy: {},
    odoo: {
      addons: ['addons', 'oca/web', '.'],
      modules: ['books', 'sale'],
      demo: true,
      testTags: '/books',
    },
  });
  assert.deepEqual(parseBuildFile('odoo: {}'), { checks: [], deploy: {}, odoo: {} });
});

test('anything else that is said of Odoo modules is refused with its line', () => {
  const cases: [string, RegExp][] = [
    ['requirement: a', /^Line 2: "odoo" has an unknown key "requirement"/],
    ['demo: "yes"', /^Line 2: "demo" must be true or false/],
    ['modules: books', /^Line 2: "modules" must be a list of modules/],
    ['test_tags: "a b"', /^Line 2: "test_tags" must be as --test-tags of Odoo/],
    [`modules: [${'a, '.repeat(51)}]`, /^Line 2: "modules" has 51 modules: at most 50/],
  ];
  for (const module of ['a-b', '1a', '--init', '"a,b"', 'ü'])
    cases.push([`modules: [${module}]`, /^Line 2: a module of "modules" must be the name/]);
  for (const path of ['/a', '../a', 'a/../b', '..', '"a,b"', '"$HOME"', '"~"', 'a/', '-a'])
    cases.push([`addons: [${path}]`, /^Line 2: a folder of "addons" must be a path inside/]);
  for (const [text, expected] of cases) assert.match(faultOf(`odoo:\n  ${text}`), expected, text);
});
