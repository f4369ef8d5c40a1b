// The two subflows of one memory: what is read before a turn, and what is written after it. Both call the store.
// Source: the memory subflows of agentfootprint; the stages are those of recordings with a message memory.

import { flowChart } from './engine.mjs';
import { messageEntry, renderedEntries } from './records.mjs';

const RECENT_ENTRIES = 20;
const CHARS_PER_TOKEN = 4;

/** Load the latest entries, pick as many as the budget holds, and render them. */
export function readChart(store) {
  return flowChart('LoadRecent', loadRecent(store), 'load-recent')
    .addDeciderFunction('PickDecider', decidePick, 'pick-decider')
    .addFunctionBranch('skip-empty', 'SkipEmpty', selectNone)
    .addFunctionBranch('skip-no-budget', 'SkipNoBudget', selectNone)
    .addFunctionBranch('pick', 'Pick', selectNewest)
    .end()
    .addFunction('Format', format, 'format-default')
    .build();
}

/** Write the messages of the turn. A store that throws ends the run. */
export function writeChart(store) {
  return flowChart('WriteMessages', writeMessages(store), 'write-messages').build();
}

function loadRecent(store) {
  return async (scope) => {
    const { entries } = await store.list(scope.$getValue('identity'), { limit: RECENT_ENTRIES });
    // A store lists the latest first; a prompt tells the oldest first.
    scope.loaded = entries.toReversed();
  };
}

function decidePick(scope) {
  if (scope.loaded.length === 0) return 'skip-empty';
  return scope.contextTokensRemaining > 0 ? 'pick' : 'skip-no-budget';
}

function selectNone(scope) {
  scope.selected = [];
}

/** Select from the newest entry on, until the budget is used up. */
function selectNewest(scope) {
  const loaded = scope.$getValue('loaded');
  let chars = scope.contextTokensRemaining * CHARS_PER_TOKEN;
  let first = loaded.length;
  while (first > 0 && chars >= loaded[first - 1].value.content.length) {
    first -= 1;
    chars -= loaded[first].value.content.length;
  }
  scope.selected = loaded.slice(first);
}

function format(scope) {
  scope.formatted = renderedEntries(scope.$getValue('selected'));
}

function writeMessages(store) {
  return async (scope) => {
    const [identity, turn, messages] = ['identity', 'turnNumber', 'newMessages'].map((key) => scope.$getValue(key));
    const now = Date.now();
    const entries = messages.map((message, index) => messageEntry(identity, turn, index, message, now));
    await store.putMany(identity, entries);
  };
}
