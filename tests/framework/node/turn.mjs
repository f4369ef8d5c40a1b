// One turn in a process of its own: `node turn.mjs < JOB`. It runs, sends the recording, says what it did, and ends.
//
// JOB is `{server: {address, key, token?}, sessionId, identity, message, answer}`. On standard output comes `{turn,
// request?, error?, recording}`: what the model was sent, the code with which a store refused, and the answer to the
// upload. The recording of a run that failed is sent too.

import { json } from 'node:stream/consumers';
import { agentExecutor, MEMORY } from './agent.mjs';
import { HttpMemoryStore, post } from './http_store.mjs';

const { server, sessionId, identity, message, answer } = await json(process.stdin);
const told = {};
const provider = async (request) => {
  told.request = request;
  return answer;
};
const executor = agentExecutor(new HttpMemoryStore(server, MEMORY), provider);
try {
  await executor.run({ input: { identity, message } });
} catch (error) {
  told.error = error.code ?? String(error);
}
const snapshot = executor.getSnapshot();
told.turn = snapshot.sharedState.turnNumber;
const query = new URLSearchParams({ session_id: sessionId });
told.recording = await post(server, `recordings/?${query}`, JSON.stringify(snapshot));
process.stdout.write(JSON.stringify(told));
