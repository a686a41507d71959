import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, statement } from './sql.ts';

test('one text is one named statement, and a value is never text', () => {
  const piece = (id: string) => sql`id = ${id}`;
  const query = (a: string, b: string) =>
    sql`select from t where ${piece(a)} or (${piece(b)} and x = ${null})`;
  const first = statement(query("'; drop table t", 'b'));
  assert.equal(first.text, 'select from t where id = $1 or (id = $2 and x = $3)');
  assert.deepEqual(first.values, ["'; drop table t", 'b', null]);
  assert.equal(statement(query('c', 'd')).name, first.name);
  assert.notEqual(statement(sql`select 1`).name, first.name);
});
