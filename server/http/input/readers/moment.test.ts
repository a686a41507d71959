import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fieldOf } from '../../../testing/harness/input.ts';
import { date, dateTime, object } from '../fields.ts';

const time = fieldOf(object({ value: dateTime() }));
const day = fieldOf(object({ value: date() }));

describe('points in time', () => {
  test('every spelling of one moment is one string in UTC', () => {
    for (const text of [
      '2026-11-21T08:15:30.123Z',
      '2026-11-21t08:15:30.123z',
      '2026-11-21 08:15:30.123+00:00',
      '2026-11-21_08:15:30,123000Z',
      '2026-11-21T08:15:30.1230009Z',
      '2026-11-21T10:15:30.123+02:00',
      '2026-11-21T10:15:30.123+0200',
      '2026-11-20T23:45:30.123-08:30',
      '2026-11-20T23:45:30.123\u221208:30',
    ])
      assert.equal(time(text), '2026-11-21T08:15:30.123Z', text);
  });
  test('microseconds are kept, seconds may be left out', () => {
    assert.equal(time('2026-11-21T08:15:30.123456Z'), '2026-11-21T08:15:30.123456Z');
    assert.equal(time('2026-11-21T08:15:30.000001Z'), '2026-11-21T08:15:30.000001Z');
    assert.equal(time('2026-11-21T08:15Z'), '2026-11-21T08:15:00.000Z');
  });
  test('422: what has no place in the years 1 to 9999 of UTC', () => {
    assert.equal(time('0001-01-01T00:59:59+01:00'), 'datetime_parsing value');
    assert.equal(time('9999-12-31T23:00:00-01:00'), 'datetime_parsing value');
    assert.equal(time('0001-01-01T01:00:00+01:00'), '0001-01-01T00:00:00.000Z');
    assert.equal(time('9999-12-31T23:59:59.999999Z'), '9999-12-31T23:59:59.999999Z');
  });
  test('422: a number is no time, and neither is a string of digits', () => {
    for (const value of [0, 1_700_000_000, 1.5])
      assert.equal(time(value), 'datetime_type value', String(value));
    for (const value of ['1700000000', '20261121081530'])
      assert.equal(time(value), 'datetime_from_date_parsing value', value);
    assert.equal(time('\ud800'), 'string_unicode value');
  });
  test('what JavaScript writes is read as the same moment', () => {
    const moments = fc.date({
      min: new Date('0001-01-02T00:00:00Z'),
      max: new Date('9999-12-30T00:00:00Z'),
      noInvalidDate: true,
    });
    const minutes = fc.integer({ min: -23 * 60, max: 23 * 60 });
    fc.assert(
      fc.property(moments, minutes, (moment, offset) => {
        const local = new Date(moment.getTime() + offset * 60_000).toISOString().slice(0, -1);
        const two = (number: number) => String(number).padStart(2, '0');
        const hours = Math.trunc(Math.abs(offset) / 60);
        const zone = `${offset < 0 ? '-' : '+'}${two(hours)}:${two(Math.abs(offset) % 60)}`;
        assert.equal(time(`${local}${zone}`), moment.toISOString());
      }),
    );
  });
});

describe('days', () => {
  test('a day, or a point in time at midnight', () => {
    for (const text of [
      '2024-02-29',
      '2024-02-29T00:00',
      '2024-02-29T00:00:00.000Z',
      '2024-02-29 00:00:00+14:00',
    ])
      assert.equal(day(text), '2024-02-29', text);
    assert.equal(day('0001-01-01'), '0001-01-01');
    assert.equal(day('2000-02-29'), '2000-02-29');
  });
  test('422: a number, and digits without dashes', () => {
    assert.equal(day(20_261_121), 'date_type value');
    assert.equal(day('20261121'), 'date_from_datetime_parsing value');
    assert.equal(day('\ud800'), 'string_unicode value');
  });
});
