// Which turn a run is, for stores that are filled first: `node turn_cases.mjs < JOB`.
//
// JOB is `{server, now, cases, snapshots, hostTurns}`. The cases are rows of conformance/golden/turns.json, or like
// them. On standard output comes `{cases, snapshots, hostTurns}`: `{turn, calls}` with the limits and cursors that each
// store was asked with, the highest snapshot of each store, and each turn of a host as it is read.

import { json } from 'node:stream/consumers';
import { HttpMemoryStore } from './http_store.mjs';
import { maxStoredTurn, normalizeHostTurn, resolveTurnNumber, snapshotTurn } from './turn_rule.mjs';

const SPELLED = { undefined, NaN, Infinity, '-Infinity': -Infinity };
const { server, now, cases, snapshots, hostTurns } = await json(process.stdin);
let nStores = 0;

/** A store over HTTP that tells what it was asked, and gives at most *pageCap* entries at once. */
class ToldStore {
  calls = [];

  constructor(pageCap = 1000) {
    nStores += 1;
    this.http = new HttpMemoryStore(server, `case ${nStores}`);
    this.pageCap = pageCap;
  }

  list(identity, { limit, cursor }) {
    this.calls.push({ limit, cursor: cursor ?? null });
    return this.http.list(identity, { limit: Math.min(limit, this.pageCap), ...(cursor !== undefined && { cursor }) });
  }
}

async function filledStore({ entries, identity, pageCap }) {
  const store = new ToldStore(pageCap);
  await store.http.putMany(identity, entries.map(revived));
  return store;
}

/** An entry of the table: numbers that JSON lacks are spelled, and a time to live is one of the day of the table. */
function revived(entry) {
  const { ttl, source } = entry;
  const changed = {};
  if (source?.turn?.$number !== undefined) changed.source = { turn: Number(source.turn.$number) };
  if (ttl > 0) changed.ttl = Date.now() + ttl - now;
  return { ...entry, ...changed };
}

async function resolved({ stores: specs, identity, hostTurn, sharedTwice }) {
  const stores = [];
  for (const spec of specs) stores.push(await filledStore({ identity, ...spec }));
  const turn = await resolveTurnNumber(sharedTwice ? [...stores, ...stores] : stores, identity, hostTurnOf(hostTurn));
  return { turn, calls: stores.map((store) => store.calls) };
}

function hostTurnOf(spelled) {
  return Object.hasOwn(SPELLED, String(spelled)) ? SPELLED[spelled] : spelled;
}

const told = { cases: [], snapshots: [], hostTurns: hostTurns.map((turn) => normalizeHostTurn(hostTurnOf(turn))) };
for (const row of cases) told.cases.push(await resolved(row));
for (const row of snapshots) {
  const store = await filledStore(row);
  told.snapshots.push(await maxStoredTurn(store, row.identity, snapshotTurn));
}
process.stdout.write(JSON.stringify(told));
