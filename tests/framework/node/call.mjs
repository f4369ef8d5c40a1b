// The call of the model and what stands around it: cache markers before, thinking after. Source: agentfootprint.

import { flowChart } from './engine.mjs';

const CHARS_PER_TOKEN = 4;

/** The stage that calls. *provider* is given `{systemPrompt, messages, tools}` and resolves to a text. */
export function callLlm(provider) {
  return async (scope) => {
    const [records, messages, tools] = ['systemPromptInjections', 'history', 'dynamicToolSchemas'].map((key) => {
      return scope.$getValue(key);
    });
    const systemPrompt = records.map((record) => record.rawContent).join('\n\n');
    const request = { systemPrompt, messages, tools };
    const answer = await provider(request);
    scope.totalInputTokens += Math.ceil(JSON.stringify(request).length / CHARS_PER_TOKEN);
    scope.totalOutputTokens += Math.ceil(answer.length / CHARS_PER_TOKEN);
    scope.llmLatestContent = answer;
    scope.llmLatestToolCalls = [];
  };
}

/** Mark what of the request will be sent again. */
export function cacheChart() {
  return flowChart('CacheDecision', markCached, 'decide-cache-markers')
    .addDeciderFunction('CacheGate', (scope) => (scope.cachingDisabled ? 'no-markers' : 'apply-markers'), 'cache-gate')
    .addFunctionBranch('no-markers', 'NoMarkers', () => {})
    .addFunctionBranch('apply-markers', 'ApplyMarkers', () => {})
    .end()
    .build();
}

/** Keep what the provider said that it thought: nothing here. */
export function thinkingChart() {
  return flowChart('Normalize', keepThinking, 'thinking-mock').build();
}

function markCached(scope) {
  scope.cacheMarkers = [{ field: 'system', boundaryIndex: 0, ttl: 'short', reason: 'system stable prefix' }];
}

function keepThinking(scope) {
  scope.thinkingBlocks = [];
}
