import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostError } from '../hosts/host-error.ts';
import { errorOf, type Refusal } from './host-error.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const seconds = (after: number) => new Date(NOW + after * 1000);
const refusal = (status: number, message: string, headers: Refusal['headers'] = {}) => ({
  status,
  message,
  headers,
});

const LIMIT = {
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': String(NOW / 1000 + 90),
  date: new Date(NOW).toUTCString(),
};
const PRIMARY = 'API rate limit exceeded for installation ID 7.';
const SECONDARY = 'You have exceeded a secondary rate limit. Please wait a few minutes.';

test('a limit is told by 403 and by 429, and lasts as long as GitHub says', () => {
  const cases: [Refusal, Date][] = [
    [refusal(403, PRIMARY, LIMIT), seconds(91)],
    [refusal(429, PRIMARY, LIMIT), seconds(91)],
    // GitHub's clock counts: it is 30 s ahead of this machine's.
    [refusal(403, PRIMARY, { ...LIMIT, date: seconds(30).toUTCString() }), seconds(61)],
    [refusal(403, SECONDARY, { 'retry-after': '17' }), seconds(17)],
    [refusal(403, SECONDARY, { ...LIMIT, 'retry-after': '17' }), seconds(17)],
    [refusal(429, SECONDARY, { 'retry-after': '0' }), seconds(1)],
    [refusal(403, SECONDARY), seconds(60)],
    [refusal(429, 'Too many'), seconds(60)],
    [refusal(403, 'You have triggered an abuse detection mechanism.'), seconds(60)],
    // A reset that cannot be read, or that is further away than a limit lasts.
    [refusal(403, PRIMARY, { ...LIMIT, 'x-ratelimit-reset': 'soon' }), seconds(60)],
    [refusal(403, PRIMARY, { ...LIMIT, 'x-ratelimit-reset': '99999999999' }), seconds(60)],
  ];
  for (const [given, until] of cases) {
    const error = errorOf(given, NOW);
    assert.deepEqual([error.code, error.until, error.passes], ['github_rate_limited', until, true]);
  }
});

test('a missing permission is named, also by the last answer of a limit', () => {
  const headers = { ...LIMIT, 'x-accepted-github-permissions': 'contents=write' };
  const error = errorOf(refusal(403, 'Resource not accessible by integration', headers), NOW);
  assert.deepEqual(
    [error.code, error.permission, error.passes],
    ['github_permission_missing', 'contents=write', false],
  );
  assert.match(error.message, /\(contents=write\)$/);
});

test('faults of GitHub pass; other refusals keep their status and sentence', () => {
  const codes: [Refusal, string][] = [
    [refusal(500, ''), 'github_unavailable'],
    [refusal(502, 'Server Error'), 'github_unavailable'],
    [refusal(403, 'This installation has been suspended'), 'github_installation_suspended'],
    [refusal(403, 'Repository access blocked'), 'github_repository_gone'],
    [refusal(451, 'Repository access blocked'), 'github_repository_gone'],
    [refusal(404, 'Integration not found'), 'github_app_refused'],
    [refusal(404, 'Not Found'), 'github_refused'],
    [refusal(405, 'Base branch was modified. Review and try the merge again.'), 'github_refused'],
    [refusal(409, 'Head branch was modified. Review and try the merge again.'), 'github_refused'],
  ];
  for (const [given, code] of codes) {
    const error = errorOf({ ...given, headers: { 'x-github-request-id': 'A:1' } }, NOW);
    assert.deepEqual(
      [error.code, error.status, error.said, error.requestId],
      [code, given.status, given.message, 'A:1'],
    );
  }
  assert.ok(new HostError('github_unavailable').passes);
});
