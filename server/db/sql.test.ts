import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nothing, type Sql, sql, sqlText, statement } from './sql.ts';

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

test('pieces that are composed in the same way share one text, and others do not', () => {
  const owner = (id: number) => sql`owner = ${id}`;
  const named = (name: string) => sql`name = ${name}`;
  const query = (condition: Sql) => sql`select from t where ${condition}`;
  assert.equal(query(owner(1)).strings, query(owner(2)).strings);
  assert.deepEqual(query(owner(2)).values, [2]);
  assert.notEqual(query(owner(1)).strings, query(named('a')).strings);
  assert.equal(statement(query(named('a'))).text, 'select from t where name = $1');
  assert.equal(statement(query(nothing)).text, 'select from t where ');
  assert.equal(sqlText('now()').strings, sqlText('now()').strings);
});
