/** Every field of a request and what becomes of it across dialects; names in lowerCamelCase. */

/** Carried by the canonical model. */
export const MODELLED: readonly string[] = ['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig'];

/** The same inside `generationConfig`. */
export const MODELLED_CONFIG: readonly string[] = [
  'candidateCount',
  'stopSequences',
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'responseLogprobs',
  'logprobs',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'responseModalities',
  'thinkingConfig',
];

/** Refused elsewhere: what the client relies on is bound to this dialect. The feature as P-6 names it. */
export const BOUND: ReadonlyMap<string, string> = new Map([
  ['cachedContent', 'state'],
  ['continuationToken', 'state'],
]);

/** Said by the path or by the gateway's own fields. */
export const SPOKEN_FOR: readonly string[] = ['model'];

/** Written where it fits, else dropped with a record; as Chat names it, where Chat has it. */
export const HINTS: ReadonlyMap<string, string> = new Map([
  ['serviceTier', 'service_tier'],
  ['labels', 'metadata'],
  ['store', 'store'],
  ['safetySettings', 'safety_settings'],
]);

/** The same inside `generationConfig`. */
export const HINTS_CONFIG: readonly string[] = [
  'mediaResolution',
  'speechConfig',
  'imageConfig',
  'audioTranscriptionConfig',
  'enableEnhancedCivicAnswers',
];

/** Tools of the API itself, as P-6 names what they are; any other is a builtin tool. */
export const BUILTIN_TOOLS: ReadonlyMap<string, string> = new Map([
  ['googleSearch', 'web_search'],
  ['googleSearchRetrieval', 'web_search'],
]);
