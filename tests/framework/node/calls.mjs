// Calls of a store, one after the other, in a process of its own: `node calls.mjs < JOB`.
//
// JOB is `{server, store, identity, calls: [[method, ...arguments], ...]}`, the arguments without the identity. On
// standard output comes a list with `{value}` or `{error}` for each call; a value that is undefined is left out.

import { json } from 'node:stream/consumers';
import { HttpMemoryStore } from './http_store.mjs';

const { server, store: name, identity, calls } = await json(process.stdin);
const store = new HttpMemoryStore(server, name);
const told = [];
for (const [method, ...options] of calls) {
  try {
    told.push({ value: await store[method](identity, ...options) });
  } catch (error) {
    told.push({ error: error.code ?? String(error) });
  }
}
process.stdout.write(JSON.stringify(told));
