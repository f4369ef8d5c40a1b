// A chat agent of the flat shape as a flowchart of the engine: what the framework builds for an agent with one message
// memory, without the round of tool calls. Its stages, their order and the keys that they write are those of the
// recordings of real runs. The provider is a script. Source: agentfootprint.

import { cacheChart, callLlm, thinkingChart } from './call.mjs';
import { flowChart, FlowChartExecutor } from './engine.mjs';
import { readChart, writeChart } from './memory.mjs';
import * as slots from './slots.mjs';
import { resolveTurnNumber } from './turn_rule.mjs';

export const MEMORY = 'chat';

/** An executor of turns, one at a time: its input is `{identity, message}`, its memory *store*. */
export function agentExecutor(store, provider) {
  const builder = flowChart('Initialize', seed(store), 'seed', { description: 'Agent: ReAct loop' })
    .addSubFlowChartNext(`sf-memory-read-${MEMORY}`, readChart(store), 'Load Memory', {
      inputMapper: (state) => ({ ...memoryInput(state), messages: state.history, newMessages: [] }),
      outputMapper: (inner) => ({ [`memoryInjection_${MEMORY}`]: inner.formatted }),
    })
    .addSubFlowChartNext('sf-injection-engine', slots.injectionEngineChart(), 'Injection Engine', {
      inputMapper: (state) => ({
        ...pick(state, 'iteration', 'maxIterations', 'userMessage', 'history', 'activatedInjectionIds'),
        priorActiveByslot: slots.activeByslot(state),
      }),
      outputMapper: (inner) => pick(inner, 'activeInjections', 'activeByslot'),
      arrayMerge: 'replace',
    })
    .addFunction('Deliver', deliver, 'deliver');
  return new FlowChartExecutor(finished(served(builder), store, provider), {
    readTracking: 'summary',
    commitValues: 'delta',
  });
}

/** The context of the call, slot by slot. */
function served(builder) {
  return builder
    .addSelectorFunction('Context', () => ['sf-system-prompt', 'sf-messages', 'sf-tools'], 'context')
    .addSubFlowChartBranch('sf-system-prompt', slots.systemPromptChart(), 'System Prompt', {
      inputMapper: (state) => ({ ...pick(state, 'userMessage', 'iteration'), activeInjections: active(state) }),
      outputMapper: (inner) => pick(inner, 'systemPromptInjections'),
      arrayMerge: 'replace',
    })
    .addSubFlowChartBranch('sf-messages', slots.messagesChart(), 'Messages', {
      inputMapper: (state) => ({
        messages: state.history,
        iteration: state.iteration,
        activeInjections: active(state),
      }),
      outputMapper: (inner) => pick(inner, 'messagesInjections'),
      arrayMerge: 'replace',
    })
    .addSubFlowChartBranch('sf-tools', slots.toolsChart(), 'Tools', {
      inputMapper: (state) => pick(state, 'iteration', 'activeInjections', 'activatedInjectionIds', 'runIdentity'),
      outputMapper: (inner) => ({ toolsInjections: inner.toolsInjections, dynamicToolSchemas: inner.toolSchemas }),
      arrayMerge: 'replace',
    })
    .end();
}

/** The call, and the end of the turn. */
function finished(builder, store, provider) {
  return builder
    .addSubFlowChartNext('sf-cache', cacheChart(), 'Cache', {
      inputMapper: (state) => ({
        ...pick(state, 'activeInjections', 'iteration', 'maxIterations', 'userMessage'),
        cumulativeInputTokens: state.totalInputTokens,
        systemPromptCachePolicy: 'always',
        ...pick(state, 'cachingDisabled', 'history', 'skillHistory'),
      }),
      outputMapper: (inner) => pick(inner, 'cacheMarkers'),
      arrayMerge: 'replace',
    })
    .addFunction('CallLLM', callLlm(provider), 'call-llm')
    .addSubFlowChartNext('sf-thinking', thinkingChart(), 'NormalizeThinking', {
      inputMapper: (state) => pick(state, 'iteration'),
      outputMapper: (inner) => pick(inner, 'thinkingBlocks'),
      arrayMerge: 'replace',
    })
    .addDeciderFunction('Route', () => 'final', 'sf-route')
    .addSubFlowChartBranch('final', finalChart(store), 'Final', {
      inputMapper: ({ finalContent, newMessages, ...state }) => state,
      // The last stage returns the answer itself, which has no such member: the key is set to nothing, as in real runs.
      outputMapper: (answer) => ({ finalContent: answer.finalContent }),
      propagateBreak: true,
    })
    .setDefault('final')
    .end()
    .build();
}

/** Keep the answer, write both messages to memory, and end the run. */
function finalChart(store) {
  return flowChart('PrepareFinal', prepareFinal, 'prepare-final')
    .addSubFlowChartNext(`sf-memory-write-${MEMORY}`, writeChart(store), 'Save Memory', {
      inputMapper: (state) => ({ ...memoryInput(state), newMessages: state.newMessages }),
    })
    .addFunction('BreakFinal', breakFinal, 'break-final')
    .build();
}

/** The state at the start. The host knows of this one message, so the turn is found in what is stored. */
function seed(store) {
  return async (scope) => {
    const { identity, message } = scope.$getArgs();
    const history = [{ role: 'user', content: message }];
    Object.assign(scope, { userMessage: message, history, runIdentity: identity, newMessages: [], turnNumber: 1 });
    Object.assign(scope, { contextTokensRemaining: 32_000, iteration: 1, maxIterations: 6, finalContent: '' });
    Object.assign(scope, { totalInputTokens: 0, totalOutputTokens: 0, turnStartMs: Date.now() });
    Object.assign(scope, { systemPromptInjections: [], messagesInjections: [], toolsInjections: [] });
    Object.assign(scope, { llmLatestContent: '', llmLatestToolCalls: [], thinkingBlocks: [] });
    Object.assign(scope, { pausedToolCallId: '', pausedToolName: '', pausedToolStartMs: 0 });
    Object.assign(scope, { cumTokensInput: 0, cumTokensOutput: 0, cumEstimatedUsd: 0, costBudgetHit: false });
    Object.assign(scope, { activeInjections: [], activatedInjectionIds: [], dynamicToolSchemas: slots.TOOLS });
    Object.assign(scope, { deliveredMessageKeys: [], cacheMarkers: [], cachingDisabled: false, skillHistory: [] });
    scope.turnNumber = await resolveTurnNumber([store], scope.$getValue('runIdentity'), scope.turnNumber);
  };
}

function deliver(scope) {
  scope.messagesDelivery = { iteration: scope.iteration, delivered: [], deferred: [] };
}

function prepareFinal(scope) {
  scope.finalContent = scope.llmLatestContent;
  scope.newMessages = [
    { role: 'user', content: scope.userMessage },
    { role: 'assistant', content: scope.llmLatestContent },
  ];
}

function breakFinal(scope) {
  scope.$break();
  return scope.finalContent;
}

function memoryInput(state) {
  return { identity: state.runIdentity, ...pick(state, 'turnNumber', 'contextTokensRemaining') };
}

function active(state) {
  return [...state.activeInjections, ...slots.memoryInjections(MEMORY, state[`memoryInjection_${MEMORY}`])];
}

function pick(state, ...keys) {
  return Object.fromEntries(keys.map((key) => [key, state[key]]));
}
