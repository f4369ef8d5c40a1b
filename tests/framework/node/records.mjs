// What the framework writes into the context and into its memory. Source: agentfootprint.

const SUMMARY_CHARS = 80;

/** An injection record of *slot*; *more* is what its source adds. */
export function injection(slot, source, reason, rawContent, { sourceId, ...more } = {}) {
  const isLong = rawContent.length > SUMMARY_CHARS;
  return {
    contentSummary: isLong ? `${rawContent.slice(0, SUMMARY_CHARS - 1)}…` : rawContent,
    contentHash: fnv1a(rawContent),
    slot,
    source,
    ...(sourceId !== undefined && { sourceId }),
    reason,
    rawContent,
    ...more,
  };
}

/** The entry of the message *value*, the *index*th of its turn. */
export function messageEntry(identity, turn, index, value, now) {
  return {
    id: `msg-${turn}-${index}`,
    value,
    version: 1,
    createdAt: now,
    updatedAt: now,
    lastAccessedAt: now,
    accessCount: 0,
    source: { turn, identity },
  };
}

/** The system messages that tell the model what *entries* hold: none for none. */
export function renderedEntries(entries) {
  if (entries.length === 0) return [];
  const head = 'Relevant context from prior conversations. Use when it helps answer the current turn.';
  const blocks = entries.map(({ value, source, updatedAt }) => {
    const updated = new Date(updatedAt).toISOString();
    return `<memory role="${value.role}" turn="${source.turn}" updated="${updated}">\n${value.content}\n</memory>`;
  });
  return [{ role: 'system', content: [head, ...blocks].join('\n\n') }];
}

/** A short hash in hex. Which one the framework takes is not written down, and nobody compares it. */
function fnv1a(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16);
}
