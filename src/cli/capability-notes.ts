/** Notes on capabilities whose words no request ever asks for: a slip there refuses what the model can do (P-6). */
import type { CapabilitiesEntry, Catalogued, Snapshot } from '../config/snapshot.ts';

const KNOWN = {
  apis: [
    ...['chat', 'responses', 'messages', 'gemini', 'completions', 'embeddings', 'moderations', 'rerank', 'images'],
    ...['image_edits', 'speech', 'transcriptions', 'translations', 'videos'],
  ],
  input: ['text', 'image', 'audio', 'video', 'file'],
  features: ['tools', 'json_schema', 'json_object', 'reasoning', 'logprobs'],
} as const;

interface Able {
  readonly capabilities?: CapabilitiesEntry;
  readonly catalogued?: Catalogued;
}

export function capabilityNotes(snapshot: Snapshot): string[] {
  // A model of which every channel speaks for itself says nothing more.
  const speaking = snapshot.models.filter(({ channels }) =>
    channels.some((ix) => snapshot.channels[ix]?.capabilities === undefined),
  );
  const models = speaking.map((model) => notesOn(model.id, model));
  const channels = snapshot.channels.map((channel) => notesOn(channel.healthKey, channel));
  return [...models, ...channels].flat();
}

/** What the catalogue says is in its own words. */
function notesOn(name: string, { capabilities, catalogued }: Able): string[] {
  if (capabilities === undefined) return [];
  const notes: string[] = [];
  if (capabilities.apis?.length === 0) notes.push(`${name}: its \`apis\` are empty, so every request is refused`);
  const kinds = catalogued?.capabilities === undefined ? (['apis', 'input', 'features'] as const) : (['apis'] as const);
  for (const kind of kinds) {
    const words = (capabilities[kind] ?? []).filter((word) => !(KNOWN[kind] as readonly string[]).includes(word));
    if (words.length === 0) continue;
    notes.push(
      `${name}: \`${kind}\` says ${words.join(', ')}, which no request asks for; known: ${KNOWN[kind].join(', ')}`,
    );
  }
  return notes;
}
