// The framework's MemoryStore over the REST API, one request for each method.
// Source: the MemoryStore of agentfootprint for the interface, docs/api.md for the endpoints.

/** What the API refused, with the code that it gave. It is thrown: a store that fails is no empty store. */
export class RefusedError extends Error {
  constructor(status, code, message) {
    super(message);
    this.name = 'RefusedError';
    this.status = status;
    this.code = code;
  }
}

/** Send *body* and return what the answer says. */
export async function post(server, path, body) {
  const headers = { Authorization: `Bearer ${server.key}`, 'Content-Type': 'application/json' };
  // Without it the conversation is nobody's in particular.
  if (server.token) headers['Footprint-Incarnation'] = server.token;
  const response = await fetch(`${server.address}/api/v1/${path}`, { method: 'POST', headers, body });
  const answer = await response.json();
  if (!response.ok) throw new RefusedError(response.status, answer.code, answer.message);
  return answer;
}

export class HttpMemoryStore {
  /** *server* is `{address, key, token?}`; *name* is the store's in each conversation: the id of the memory. */
  constructor(server, name) {
    this.server = server;
    this.name = name;
  }

  async get(identity, id) {
    return (await this.#call('get', identity, { id })).entry;
  }

  async put(identity, entry) {
    await this.#call('put', identity, { entry });
  }

  async putMany(identity, entries) {
    await this.#call('put-many', identity, { entries });
  }

  /** Resolves to `{applied, currentVersion?}`; *expectedVersion* 0 means that there must be none. */
  async putIfVersion(identity, entry, expectedVersion) {
    return this.#call('put-if-version', identity, { entry, expectedVersion });
  }

  /** Resolves to `{entries, cursor?}`, without a cursor on the last page; *options* are `{cursor?, limit?, tiers?}`. */
  async list(identity, options = {}) {
    return this.#call('list', identity, options);
  }

  async delete(identity, id) {
    await this.#call('delete', identity, { id });
  }

  async seen(identity, signature) {
    return (await this.#call('seen', identity, { signature })).seen;
  }

  async recordSignature(identity, signature) {
    await this.#call('record-signature', identity, { signature });
  }

  async feedback(identity, id, usefulness) {
    await this.#call('feedback', identity, { id, usefulness });
  }

  /** Resolves to `{average, count}`, or null. */
  async getFeedback(identity, id) {
    return (await this.#call('get-feedback', identity, { id })).feedback;
  }

  async forget(identity) {
    await this.#call('forget', identity, {});
  }

  #call(method, identity, options) {
    return post(this.server, `memory/${method}/`, JSON.stringify({ identity, store: this.name, ...options }));
  }
}
