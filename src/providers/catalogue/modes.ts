/**
 * Models that are made for one endpoint, by their names at the vendor: the lists hold no word of it. What is not here may
 * serve any.
 */

const MODES: readonly (readonly [name: RegExp, endpoints: readonly string[]])[] = [
  [/(?:^|[/.-])(?:text-)?embed(?:ding)?(?:-|$)/, ['embeddings']],
  [/(?:^|\/)(?:gpt-image|chatgpt-image|dall-e|grok-imagine-image|imagen)-/, ['images', 'image_edits']],
  [/(?:^|\/)whisper-|-transcribe(?:-|$)/, ['transcriptions', 'translations']],
  [/(?:^|\/)(?:tts-1|gpt-4o-mini-tts)(?:-|$)/, ['speech']],
  [/(?:^|\/)sora-/, ['videos']],
  [/(?:^|\/)(?:text|omni)-moderation-/, ['moderations']],
  [/(?:^|[/-])rerank-/, ['rerank']],
];

/** The endpoints a model serves, as `apis` names them; null = nothing is known. */
export function endpointsOf(name: string): readonly string[] | null {
  return MODES.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
