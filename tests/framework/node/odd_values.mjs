// What JavaScript writes and other languages read differently, put into a store and read back.
//
// `node odd_values.mjs < JOB`, where JOB is `{server, store, identity}`. On standard output comes `{n, n_listed,
// changed}`: how many entries there were, how many of them the list had, and the ids of those that were not the same
// when they were read by their id or in the list.

import { json } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { HttpMemoryStore, post } from './http_store.mjs';

const VALUES = {
  emoji: '💐👩‍👩‍👧 🇬🇧',
  'a lone surrogate': 'half \ud800 and \udc00\ud800',
  'line separators': 'a\u2028b\u2029c',
  controls: '\u0000\u0001\b\f\n\r\t"\\/\u007f\u0085',
  'marks that nobody sees': '\ufeff\u202e\u200b\u200d',
  'one word, spelled twice': ['caf\u00e9', 'cafe\u0301'],
  numbers: [1e21, -1e21, 1e-7, 123456789012345680000, 2 ** 53 + 2, 0.1 + 0.2, 5e-324, Number.MAX_VALUE, -0.5],
  'whole numbers': [1, 1.0, 100, 1e3],
  'numbers that JSON has not': [NaN, Infinity, -Infinity, -0],
  'what JSON leaves out': { gone: undefined, list: [undefined, () => {}], kept: null },
  'keys that are numbers': { 10: 'b', 9: 'a', z: 'c', '': 'd', '\ud83d': 'e' },
  'a date': new Date(0),
  depth: Array.from({ length: 200 }).reduce((inner) => [inner], 'deep'),
};
const IDS = ['a/b/../c?d#e', '100% %2F _', '🌷', 'half \ud83d', 'nul \u0000', ' ', '', 'x'.repeat(1000)];
// As other writers spell them; JavaScript itself writes 0, 100 and a solidus without an escape.
const BY_HAND = { '-0': -0, '1E2': 100, '100.00': 100, '"\\/\\u0041"': '/A', '0.1e1': 1, '1e400': Infinity };

const { server, store: name, identity } = await json(process.stdin);
const store = new HttpMemoryStore(server, name);
const sent = Object.entries(VALUES).map(([id, value]) => entryOf(id, value));
sent.push(...IDS.map((id) => entryOf(id, 'odd id')));
const expected = new Map(sent.map((entry) => [entry.id, JSON.parse(JSON.stringify(entry))]));
for (const entry of sent) await store.put(identity, entry);
for (const [spelled, value] of Object.entries(BY_HAND)) {
  const entry = JSON.stringify(entryOf(spelled, null)).replace('"value":null', `"value":${spelled}`);
  const place = `"identity":${JSON.stringify(identity)},"store":${JSON.stringify(name)}`;
  await post(server, 'memory/put/', `{${place},"entry":${entry}}`);
  expected.set(spelled, entryOf(spelled, value));
}

const { entries } = await store.list(identity, { limit: 1000 });
const listed = new Map(entries.map((entry) => [entry.id, entry]));
const changed = [];
for (const [id, entry] of expected) {
  const { lastAccessedAt } = entry;
  // To get it by its id is an access, and is counted.
  const got = await store.get(identity, id);
  const isCounted = got?.accessCount === 1 && got.lastAccessedAt > lastAccessedAt;
  const isKept = isSame(listed.get(id), entry) && isSame({ ...got, lastAccessedAt, accessCount: 0 }, entry);
  if (!isCounted || !isKept) changed.push(id);
}
process.stdout.write(JSON.stringify({ n: expected.size, n_listed: listed.size, changed }));

function entryOf(id, value) {
  return { id, value, version: 1, createdAt: 1, updatedAt: 1, lastAccessedAt: 1, accessCount: 0 };
}

/** Whether the values are the same, -0 and the order of the members included. */
function isSame(read, entry) {
  return isDeepStrictEqual(read, entry) && JSON.stringify(read) === JSON.stringify(entry);
}
