// What the model is served: the injection engine, and the three slots of a request. Source: agentfootprint.
// This agent has a system prompt, one memory and two tools, and no skills, facts or instructions that could be active.

import { flowChart } from './engine.mjs';
import { injection } from './records.mjs';

export const TOOLS = [
  { name: 'find_bouquet', description: 'Find bouquets by colour.', inputSchema: { type: 'object', properties: {} } },
  { name: 'track_order', description: 'Say where an order is.', inputSchema: { type: 'object', properties: {} } },
];
const SYSTEM_PROMPT = 'You take the orders of Petal & Stem, a flower shop.';
const SLOTS = ['systemPrompt', 'messages', 'tools'];

/** Decide which injections are active, and in which slot. */
export function injectionEngineChart() {
  return flowChart('Gather', gather, 'gather')
    .addFunction('Evaluate', evaluate, 'evaluate')
    .addFunction('Route', route, 'route')
    .addFunction('Delta', delta, 'delta')
    .build();
}

/** The system prompt: the agent's own, and what the memory gave. */
export function systemPromptChart() {
  return flowChart('Compose', composed('system-prompt', systemPrompt), 'compose').build();
}

/** The conversation, message by message. */
export function messagesChart() {
  return flowChart('Compose', composed('messages', conversation), 'compose').build();
}

/** The tools that are offered. */
export function toolsChart() {
  return flowChart('Discover', () => {}, 'discover')
    .addFunction('Compose', composed('tools', offered), 'compose')
    .build();
}

/** What was active in each slot of *state*: nothing in a run that starts. */
export function activeByslot(state) {
  return bySlot((slot) => state.activeByslot?.[slot] ?? []);
}

/** What the memory *id* gave, as an injection that is active when that is something. */
export function memoryInjections(id, formatted) {
  if (formatted.length === 0) return [];
  const systemPrompt = formatted.map((message) => message.content).join('\n\n');
  const description = `recall from memory '${id}'`;
  return [{ id: `memory:${id}`, flavor: 'memory', description, inject: { systemPrompt } }];
}

function gather(scope) {
  const { iteration, history, activatedInjectionIds } = scope.$getArgs();
  const activatedInjectionCount = activatedInjectionIds.length;
  scope.injectionContextSummary = { iteration, historyLength: history.length, activatedInjectionCount };
}

function evaluate(scope) {
  scope.activeInjections = scope.$getArgs().activatedInjectionIds.map((id) => ({ id }));
}

function route(scope) {
  const active = scope.$getValue('activeInjections');
  scope.activeByslot = bySlot((slot) => active.filter(({ inject }) => inject?.[slot]).map(({ id }) => id));
}

function delta(scope) {
  const before = scope.$getArgs().priorActiveByslot;
  const now = scope.$getValue('activeByslot');
  scope.slotDelta = bySlot((slot) => ({
    added: now[slot].filter((id) => !before[slot].includes(id)),
    removed: before[slot].filter((id) => !now[slot].includes(id)),
    kept: before[slot].filter((id) => now[slot].includes(id)),
  }));
}

function systemPrompt(scope) {
  const recalled = scope.$getValue('activeInjections').map(({ id, flavor, description, inject }) => {
    return injection('system-prompt', flavor, description, inject.systemPrompt, { sourceId: id });
  });
  const own = injection('system-prompt', 'base', 'Agent.system()', SYSTEM_PROMPT);
  return { systemPromptInjections: [own, ...recalled] };
}

function conversation(scope) {
  const { messages } = scope.$getArgs();
  const messagesInjections = messages.map(({ role, content }, position) => {
    const asRecency = position === messages.length - 1 ? 'latest' : 'earlier';
    const more = { asRole: role, asRecency, position };
    return injection('messages', role, `conversation history [${position}]`, content, more);
  });
  return { messagesInjections };
}

function offered() {
  const toolsInjections = TOOLS.map(({ name, description }, position) => {
    return injection('tools', 'registry', 'tool registry', `${name}: ${description}`, { sourceId: name, position });
  });
  return { toolsInjections, toolSchemas: TOOLS };
}

/** A stage that writes what *compose* gives, the records of *slot* first, and counts those. */
function composed(slot, compose) {
  return (scope) => {
    const written = compose(scope);
    const sourceBreakdown = {};
    for (const { source, rawContent } of Object.values(written)[0]) {
      const { chars = 0, count = 0 } = sourceBreakdown[source] ?? {};
      sourceBreakdown[source] = { chars: chars + rawContent.length, count: count + 1 };
    }
    const slotCompositions = { slot, iteration: scope.$getArgs().iteration, sourceBreakdown };
    Object.assign(scope, { ...written, slotCompositions });
  };
}

function bySlot(valueOf) {
  return Object.fromEntries(SLOTS.map((slot) => [slot, valueOf(slot)]));
}
