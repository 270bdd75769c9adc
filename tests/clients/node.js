// Administers tables, writes and reads rows with Google's client for Node.js, and checks what comes back.
'use strict';

const assert = require('node:assert');
const {Bigtable} = require('@google-cloud/bigtable');

const ROWS = 60;
const LONG = Buffer.from(Array.from({length: 256 * 40}, (_, at) => at % 256));

// What a gRPC status is called.
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;

const key = number => `r${String(number).padStart(3, '0')}`;
const cell = (value, millis) => ({value, timestamp: millis * 1000});

async function refused(what, code, work) {
  await assert.rejects(work, error => {
    assert.strictEqual(error.code, code, `${what}: ${error.message}`);
    return true;
  });
}

// A row as [family, qualifier, milliseconds, value], in the order of families; of the long values it has the length.
function cells(row) {
  return Object.keys(row.data)
    .sort()
    .flatMap(family =>
      Object.entries(row.data[family]).flatMap(([qualifier, versions]) =>
        versions.map(({timestamp, value}) => [
          family,
          qualifier,
          Number(timestamp) / 1000,
          value.length < 10 ? value.toString() : value.length,
        ])
      )
    );
}

async function administer(instance) {
  const table = instance.table('events');
  assert.deepStrictEqual(await table.exists(), [false]);
  // A family without a rule, which a map of the protocol may leave out of its entry.
  await table.create({
    families: ['g', {name: 'f', rule: {versions: 3}}],
    splits: ['r020', 'r040'].map(split => Buffer.from(split)),
  });
  assert.deepStrictEqual(await table.exists(), [true]);
  await refused('created twice', ALREADY_EXISTS, () => table.create({families: ['f']}));

  await table.createFamily('h', {
    rule: {age: {seconds: 864000, nanos: 0}, versions: 1, union: true},
  });
  await table.createFamily('plain');
  await table.family('f').setMetadata({rule: {versions: 5}});
  await table.family('g').delete();
  const [families] = await table.getFamilies();
  const rules = families.map(({id, metadata}) => [id, metadata.gcRule]);
  assert.deepStrictEqual(
    rules.map(([id]) => id).sort(),
    ['f', 'h', 'plain']
  );
  const ruleOf = Object.fromEntries(rules);
  assert.strictEqual(ruleOf.f.maxNumVersions, 5);
  assert.deepStrictEqual(
    ruleOf.h.union.rules.map(rule => rule.rule).sort(),
    ['maxAge', 'maxNumVersions']
  );
  assert.strictEqual(ruleOf.plain, null);
  await refused('update of no family', NOT_FOUND, () =>
    table.family('absent').setMetadata({rule: {versions: 1}})
  );

  await instance.createTable('other', {families: ['f']});
  const [tables] = await instance.getTables({view: 'full'});
  const names = tables.map(({id}) => id.split('/').pop());
  assert.deepStrictEqual(names.sort(), ['events', 'other']);
  const other = tables.find(({id}) => id.endsWith('other'));
  assert.deepStrictEqual(Object.keys(other.metadata.columnFamilies), ['f']);
  await instance.table('other').delete();
  const [samples] = await table.sampleRowKeys();
  assert.deepStrictEqual(
    samples.map(sample => sample.key.toString()),
    ['r020', 'r040', '']
  );
  return table;
}

async function write(table) {
  const rows = Array.from({length: ROWS}, (_, number) => ({
    key: key(number),
    data: {
      f: {a: cell(`${number}`, 2), long: cell(LONG, 1)},
      h: {even: cell(number % 2 === 0 ? 'yes' : 'no', 1)},
    },
  }));
  await table.insert(rows);
  // An entry has a cell a column.
  await table.insert(rows.map(({key}) => ({key, data: {f: {a: cell('old', 1)}}})));
  await assert.rejects(
    table.insert({key: 'bad', data: {absent: {q: cell('v', 1)}}}),
    error => error.errors.length === 1 && error.errors[0].code === NOT_FOUND
  );
  await table.row(key(0)).deleteCells(['f:long']);
}

async function read(table) {
  const [first] = await table.row(key(0)).get();
  assert.deepStrictEqual(cells(first), [
    ['f', 'a', 2, '0'],
    ['f', 'a', 1, 'old'],
    ['h', 'even', 1, 'yes'],
  ]);
  assert.deepStrictEqual(await table.row('absent').exists(), [false]);
  const keys = async options => (await table.getRows(options))[0].map(row => row.id);
  const every = Array.from({length: ROWS}, (_, number) => key(number));
  assert.deepStrictEqual(await keys({}), every);
  assert.deepStrictEqual(await keys({start: 'r010', end: 'r020', limit: 3}), every.slice(10, 13));
  assert.deepStrictEqual(await keys({prefix: 'r05'}), every.slice(50));
  assert.deepStrictEqual(
    await keys({keys: ['r050'], ranges: [{start: 'r003', end: 'r005'}]}),
    [...every.slice(3, 6), 'r050']
  );
  const [long] = await table.getRows({filter: {column: 'long'}, decode: false});
  assert.strictEqual(long.length, ROWS - 1);
  assert.ok(long.every(row => row.data.f.long[0].value.equals(LONG)));
}

async function readFiltered(table) {
  const newest = ['f', 'a', 2, '4'];
  const old = ['f', 'a', 1, 'old'];
  const even = ['h', 'even', 1, 'yes'];
  const few = {column: /a|even/};
  for (const [what, filter, wanted] of [
    ['cells per column', [few, {column: {cellLimit: 1}}], [newest, even]],
    ['cells per row', {row: {cellLimit: 2}}, [newest, old]],
    ['cells per row, from', [few, {row: {cellOffset: 2}}], [even]],
    ['family', {family: 'h'}, [even]],
    ['qualifiers', {column: {family: 'f', start: 'a', end: {value: 'b', inclusive: false}}}, [newest, old]],
    ['times', {time: {start: new Date(2), end: new Date(3)}}, [newest]],
    ['value', {value: 'ol.'}, [old]],
    ['values', {value: {start: 'o', end: {value: 'p', inclusive: false}}}, [old]],
    ['strip', [{value: 'old'}, {value: {strip: true}}], [['f', 'a', 1, '']]],
    ['interleave', {interleave: [[{value: 'old'}], [{family: 'h'}]]}, [old, even]],
    ['condition', {condition: {test: [{value: 'yes'}], pass: [{value: 'old'}], fail: [{all: true}]}}, [old]],
  ]) {
    const [rows] = await table.getRows({keys: [key(4)], filter});
    assert.deepStrictEqual(rows.flatMap(cells), wanted, what);
  }
  const [labelled] = await table.getRows({keys: [key(4)], filter: [{family: 'h'}, {label: 'seen'}]});
  assert.deepStrictEqual(labelled[0].data.h.even[0].labels, ['seen']);
  const [none] = await table.getRows({filter: {all: false}});
  assert.deepStrictEqual(none, []);
}

async function writeConditionally(table) {
  const insert = value => [{method: 'insert', data: {h: {was: cell(value, 1)}}}];
  const [matched] = await table
    .row(key(1))
    .filter({value: 'no'}, {onMatch: insert('odd'), onNoMatch: insert('even')});
  assert.strictEqual(matched, true);
  const [rows] = await table.getRows({keys: [key(1)], filter: {column: 'was'}});
  assert.deepStrictEqual(cells(rows[0]), [['h', 'was', 1, 'odd']]);

  const counter = table.row('counter');
  await counter.createRules([{column: 'f:text', append: 'ab'}, {column: 'f:number', increment: 40}]);
  await counter.createRules({column: 'f:text', append: 'c'});
  assert.strictEqual((await counter.increment('f:number', 2))[0], 42);
  const [text] = await counter.get(['f:text']);
  assert.strictEqual(text.f.text[0].value, 'abc');
}

async function drop(table) {
  await table.deleteRows('r00');
  assert.strictEqual((await table.getRows())[0].length, ROWS - 10 + 1);
  await table.truncate();
  assert.deepStrictEqual((await table.getRows())[0], []);
  await table.delete();
  assert.deepStrictEqual(await table.exists(), [false]);
}

async function main() {
  const client = new Bigtable({projectId: 'p', metricsEnabled: false});
  const table = await administer(client.instance(`node-${process.pid}`));
  await write(table);
  await read(table);
  await readFiltered(table);
  await writeConditionally(table);
  await drop(table);
  await client.close();
  console.log('node: every call did what it should');
}

main().catch(error => {
  console.error(error);
  process.exit(1);
});
