// Which turn a run is, from what is stored. Source: the turn rule of agentfootprint.

const PAGE_LIMIT = 1000;
const MAX_PAGES = 100;

/** The turn that the host counts: a whole number from 1 on, 1 for whatever is no finite number. */
export function normalizeHostTurn(hostTurn) {
  return Number.isFinite(hostTurn) ? Math.max(1, Math.floor(hostTurn)) : 1;
}

/** The turn that an entry was written in, 0 for none. Its id is not looked at. */
export function storedTurn(entry) {
  const turn = entry.source?.turn;
  return Number.isFinite(turn) ? Math.max(0, Math.floor(turn)) : 0;
}

/** The turn of a snapshot by its id, 0 for any other entry. */
export function snapshotTurn(entry) {
  const found = /^snap-(\d+)$/.exec(entry.id);
  return found ? Number(found[1]) : 0;
}

/** The highest turn in *store*: it is read to its end, to a cursor that stands still, or to the hundredth page. */
export async function maxStoredTurn(store, identity, turnFor = storedTurn) {
  let highest = 0;
  let cursor;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const listed = await store.list(identity, { limit: PAGE_LIMIT, ...(cursor !== undefined && { cursor }) });
    for (const entry of listed.entries) highest = Math.max(highest, turnFor(entry));
    if (listed.cursor === undefined || listed.cursor === cursor) break;
    cursor = listed.cursor;
  }
  return highest;
}

/** The turn of a run: above every stored one, and not below the host's. The stores are read one after the other. */
export async function resolveTurnNumber(stores, identity, hostTurn) {
  let highest = 0;
  for (const store of new Set(stores)) highest = Math.max(highest, await maxStoredTurn(store, identity));
  return Math.max(normalizeHostTurn(hostTurn), highest + 1);
}
