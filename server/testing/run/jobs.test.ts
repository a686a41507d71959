import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobsOf, OWN_MACHINE, OWN_PROCESS } from './jobs.ts';

test('neighbours share a process up to a given time, and the longest job is the first', () => {
  const durations = { 'a/1.test.ts': 20_000, 'a/2.test.ts': 30_000, 'b/1.test.ts': 61_000 };
  const files = ['b/2.test.ts', 'b/1.test.ts', 'a/2.test.ts', 'a/1.test.ts'];
  assert.deepEqual(
    jobsOf(files, durations, 60_000).map((job) => [job.files, job.expected]),
    [
      [['b/1.test.ts'], 61_000],
      [['a/1.test.ts', 'a/2.test.ts'], 50_000],
      [['b/2.test.ts'], 3_000],
    ],
  );
});

test('a file that looks at its whole process stands alone, and its neighbours stay together', () => {
  const [alone = ''] = OWN_PROCESS;
  const jobs = jobsOf([`${alone}b`, alone, `${alone}a`], {});
  assert.deepEqual(
    jobs.map(({ files }) => files),
    [[`${alone}a`, `${alone}b`], [alone]],
  );
});

test('a file that measures a loaded machine is the only job that runs beside no other', () => {
  const [measured = ''] = OWN_MACHINE;
  const jobs = jobsOf([`${measured}b`, measured, `${measured}a`], {}, 0);
  assert.deepEqual(
    jobs.filter(({ exclusive }) => exclusive === true).map(({ files }) => files),
    [[measured]],
  );
  assert.equal(jobs.length, 3);
});
