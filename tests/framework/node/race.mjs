// One of several processes that put the same versions of one entry: `node race.mjs`, told what to do line by line.
//
// The first line is `{server, store, identity, name, rounds}`. It answers `ready`, and starts at the second line. In
// each round it puts version n + 1 if version n is there. On standard output comes what `putIfVersion` said in each.

import { createInterface } from 'node:readline';
import { HttpMemoryStore } from './http_store.mjs';

const input = createInterface({ input: process.stdin });
const lines = input[Symbol.asyncIterator]();
const { server, store: storeName, identity, name, rounds } = JSON.parse((await lines.next()).value);
const store = new HttpMemoryStore(server, storeName);
// The connection is open before the others start.
await store.get(identity, 'counter');
process.stdout.write('ready\n');
await lines.next();
const told = [];
for (let version = 0; version < rounds; version += 1) {
  const entry = { id: 'counter', value: name, version: version + 1 };
  told.push(await store.putIfVersion(identity, entry, version));
}
process.stdout.write(JSON.stringify(told));
input.close();
